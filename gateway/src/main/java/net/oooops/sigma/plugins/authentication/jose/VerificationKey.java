package net.oooops.sigma.plugins.authentication.jose;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A key that signatures are verified with, and for which algorithms alone: what a token says of its algorithm makes no other of it, such as a
 * public key a secret.
 *
 * @param id {@code kid}, or null where it has none
 * @param verifier has the key
 */
public record VerificationKey(@Nullable String id, Verifier verifier, Set<Algorithm> algorithms) {
    /** For those of its algorithms alone. */
    public VerificationKey only(Set<Algorithm> fewer) {
        return new VerificationKey(id, verifier, fewer);
    }
}
