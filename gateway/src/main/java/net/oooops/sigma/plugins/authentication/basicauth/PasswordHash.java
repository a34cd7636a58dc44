package net.oooops.sigma.plugins.authentication.basicauth;

import java.util.concurrent.Executor;
import net.oooops.sigma.api.UnfitException;

/** What is kept of a password: a hash that is slow on purpose, with its salt. Immutable; equal where it was written alike. */
interface PasswordHash {
    /** Whether it is of that password. Takes some 100 ms of a core: never on an event loop. */
    boolean matches(byte[] password);

    /** Where that is done. */
    default Executor threads() {
        return Hashing.THREADS;
    }

    /**
     * Reads one as {@code htpasswd -B} or an Argon2 library writes it.
     *
     * @throws UnfitException where it is another kind, with what to use instead
     */
    static PasswordHash of(String text) {
        if (text.startsWith("$2")) {
            return Bcrypt.of(text);
        }
        if (text.startsWith("$argon2id$")) {
            return Argon2id.of(text);
        }
        String use = "bcrypt, as \"htpasswd -B -C 10\" makes it, or Argon2id ($argon2id$…)";
        if (text.startsWith("$argon2")) {
            throw new UnfitException(use + "; not argon2i or argon2d");
        }
        if (text.startsWith("$apr1$") || text.startsWith("$1$")) {
            throw new UnfitException(use + "; not MD5 ($apr1$), which is tried out too fast");
        }
        if (text.startsWith("{SHA}") || text.startsWith("{SSHA}")) {
            throw new UnfitException(use + "; not SHA-1 ({SHA}), which is tried out too fast");
        }
        if (text.startsWith("$5$") || text.startsWith("$6$") || text.startsWith("$y$")) {
            throw new UnfitException(use + "; not what crypt(3) makes");
        }
        throw new UnfitException(use + "; neither plain text nor crypt");
    }
}
