package net.oooops.sigma.plugins.authentication.basicauth;

import java.util.concurrent.Executor;
import net.oooops.sigma.plugins.authentication.BoundedWork;
import net.oooops.sigma.plugins.authentication.Lane;

/** Where passwords are hashed, and how many wait for it, for all places of sigma.json together. Safe for use from any thread. */
final class Hashing {
    /** What may be hashed or wait for it: half of it for clients that have had a right password. */
    static final BoundedWork ALL_PLACES = BoundedWork.ofAllPlacesWithTrust();

    /** For hashes that take time alone. */
    static final Executor THREADS = BoundedWork.onHalfOfTheCores("sigma-password-");

    /** How many of those hashes are made at once that take memory, too: {@link Argon2id#MEMORY_KIB_MAX} each, 256 MiB together. */
    static final int IN_MEMORY_MAX = 4;

    /** For those. */
    static final Executor IN_MEMORY = new Lane(THREADS, IN_MEMORY_MAX);

    private Hashing() {}
}
