package net.oooops.sigma.tls;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What was read from files that may change: certificates that are shown, or what those of clients are measured by. Any thread. */
public interface Renewable {
    /** What is left is little. */
    Duration SOON = Duration.ofDays(14);

    /** All files that it is read from. */
    List<Path> files();

    /** The file that it is named by; of what is in none a word for what it is. */
    Path file();

    /** What it is: {@code certificate}. */
    String what();

    /** From when on it is no longer good; {@link Instant#MAX} where it always is. */
    Instant notAfter();

    /** From when on its expiry is worth a line of the log: two weeks before. */
    default Instant expiresSoon() {
        Instant end = notAfter();
        return end.equals(Instant.MAX) ? end : end.minus(SOON);
    }

    /** Whether it is to be made anew by now, though no file has changed. */
    default boolean isDue(Instant now) {
        return false;
    }

    /**
     * Reads it again, and takes over what is new.
     *
     * @return whether anything is
     * @throws TlsException where it can't be used; what was there before stays
     */
    boolean renew();
}
