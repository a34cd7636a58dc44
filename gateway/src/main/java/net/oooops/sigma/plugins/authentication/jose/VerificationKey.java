package net.oooops.sigma.plugins.authentication.jose;

import java.security.Key;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A key that signatures are verified with, and for which algorithms alone: what a token says of its algorithm makes no other of it, such as a
 * public key a secret.
 *
 * @param id {@code kid}, or null where it has none
 */
public record VerificationKey(@Nullable String id, Key key, Set<Algorithm> algorithms) {}
