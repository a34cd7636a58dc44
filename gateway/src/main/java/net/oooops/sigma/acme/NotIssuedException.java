package net.oooops.sigma.acme;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A certificate was asked for, and not given. The message says why, in the issuer's words where it has any. */
final class NotIssuedException extends Exception {
    private static final long serialVersionUID = 1;

    private final @Nullable Instant notBefore;

    NotIssuedException(String why, @Nullable Throwable cause) {
        this(why, cause, null);
    }

    /** @param notBefore when to ask again at the earliest, as the issuer says; null where it doesn't */
    NotIssuedException(String why, @Nullable Throwable cause, @Nullable Instant notBefore) {
        super(why, cause);
        this.notBefore = notBefore;
    }

    @Nullable Instant notBefore() {
        return notBefore;
    }
}
