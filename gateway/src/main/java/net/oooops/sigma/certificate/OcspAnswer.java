package net.oooops.sigma.certificate;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a responder says of one certificate, verified (RFC 6960 section 2.2). Immutable, any thread. */
public final class OcspAnswer {
    private final byte[] encoded;
    private final Instant from;
    private final Instant until;
    private final boolean open;
    private final @Nullable Instant revokedAt;

    /**
     * One that was verified.
     *
     * @param encoded as it came
     * @param from since when it holds (thisUpdate)
     * @param until up to when it does (nextUpdate)
     * @param open whether it doesn't say that itself
     * @param revokedAt since when the certificate is revoked; null where it is good
     */
    OcspAnswer(byte[] encoded, Instant from, Instant until, boolean open, @Nullable Instant revokedAt) {
        this.encoded = encoded.clone();
        this.from = from;
        this.until = until;
        this.open = open;
        this.revokedAt = revokedAt;
    }

    /** As it came, to be shown to clients. Not to be written to: it isn't copied for each of them. */
    public byte[] encoded() {
        return encoded;
    }

    /** Whether it was made before the other one. */
    public boolean isOlderThan(OcspAnswer other) {
        return from.isBefore(other.from);
    }

    /** Up to when it holds. */
    public Instant until() {
        return until;
    }

    /** Whether it doesn't say up to when it holds: newer ones are there at any time (RFC 6960 section 4.2.2.1). */
    public boolean isOpen() {
        return open;
    }

    /** When half of its time is over. */
    public Instant half() {
        return from.plus(Duration.between(from, until).dividedBy(2));
    }

    /** Since when the certificate is revoked; null where it is good. */
    public @Nullable Instant revokedAt() {
        return revokedAt;
    }

    /**
     * Whether clients may be shown it: the certificate is good, and this still holds.
     *
     * @param nowMillis since 1970
     */
    public boolean isShowable(long nowMillis) {
        return revokedAt == null && nowMillis < until.toEpochMilli();
    }
}
