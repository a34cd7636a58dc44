package net.oooops.sigma.acme;

import java.time.Duration;
import java.time.Instant;
import java.util.function.DoubleSupplier;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.WorkerCounters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate of one host: asked for where there is none, and again when two thirds of its time are over, or when the issuer says so, but
 * before nine tenths are over whatever it says. Whatever fails leaves what is there in place.
 *
 * <p>For one thread.
 */
final class KeptCertificate {
    /** From when on a certificate is renewed, of its time; up to a thirtieth of it later, each at its own time. */
    private static final double RENEWED_AFTER = 2.0 / 3;

    private static final double SPREAD = 1.0 / 30;

    /** Of certificates that are good for less, issuers' advice is too coarse. */
    private static final Duration ADVISED_LEAST = Duration.ofDays(2);

    /** Whatever the issuer advises, a certificate that was just given stays for as long. */
    private static final Duration STAYS_LEAST = Duration.ofHours(1);

    /** Whatever the issuer advises, no more of a certificate's time than that passes. */
    private static final double ADVISED_MOST = 0.9;

    /** Advice is asked for again after as long at least, and at most, whatever the issuer says (RFC 9773 section 4.3.3). */
    private static final Duration ADVICE_AGAIN_LEAST = Duration.ofMinutes(1);

    private static final Duration ADVICE_AGAIN_MOST = Duration.ofDays(1);

    /** An issuer that gave no advice is asked for it again after as long. */
    private static final Duration NO_ADVICE_AGAIN = Duration.ofHours(6);

    /** Where another process asks, it is looked at again after as long. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

    /** What was given can't be read: it isn't asked for again sooner. */
    private static final Duration UNREAD_AGAIN = Duration.ofHours(1);

    /** No longer is anything left alone. */
    private static final Duration LOOK_MOST = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(KeptCertificate.class);

    private final String host;
    private final CertificateFolder folder;
    private Issuer issuer;
    private final Means means;
    private Instant next = Instant.MIN;
    private int failures;
    /** Before that the issuer doesn't want to be asked again. */
    private Instant notBefore = Instant.MIN;

    private @Nullable String said;
    private Issuer.@Nullable Advice advice;
    private @Nullable KeyedCertificate advised;
    private Instant adviceAgain = Instant.MIN;
    private Instant givenAt = Instant.MIN;

    /**
     * What all of them have in common.
     *
     * @param counters written by this thread alone
     * @param chance from 0 to 1
     */
    record Means(Backoff backoff, WorkerCounters counters, DoubleSupplier chance) {}

    KeptCertificate(String host, CertificateFolder folder, Issuer issuer, Means means) {
        this.host = host;
        this.folder = folder;
        this.issuer = issuer;
        this.means = means;
    }

    /**
     * Is asked for by that from now on.
     *
     * @param otherwise whether in another way: what has failed is tried at once then, though not before the issuer wants it
     */
    void follow(Issuer by, boolean otherwise) {
        issuer = by;
        if (otherwise && failures > 0) {
            failures = 0;
            next = notBefore;
        }
    }

    /** Whether it has failed, and isn't to be asked for again yet. */
    boolean isResting(Instant now) {
        return failures > 0 && now.isBefore(next);
    }

    /**
     * Does what is due.
     *
     * @return when to look again
     */
    Instant look(Instant now) throws InterruptedException {
        if (now.isBefore(next)) {
            return next;
        }
        try {
            KeyedCertificate there = folder.read(host);
            Instant due = there == null ? now : due(there, now);
            next = now.isBefore(due) ? earlier(due, now.plus(LOOK_MOST)) : ask(now);
        } catch (RuntimeException | Error e) {
            // An answer of the issuer may have been too large for what memory there is.
            next = failed(new NotIssuedException("a fault of Sigma's own or of the JVM's, " + e, e), now);
        }
        return next;
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private static Instant within(Instant at, Instant least, Instant most) {
        return later(least, earlier(at, most));
    }

    private Instant due(KeyedCertificate there, Instant now) throws InterruptedException {
        double part = RENEWED_AFTER + SPREAD * fraction(there);
        Instant otherwise = there.afterPart(part);
        Issuer.Advice found = advice(there, now);
        if (found == null || !found.to().isAfter(found.from())) {
            // RFC 9773 section 4.2: such a window is as none.
            return otherwise;
        }
        Instant most = there.afterPart(ADVISED_MOST);
        Instant from = within(found.from(), there.afterPart(0), most);
        Duration window = Duration.between(from, within(found.to(), from, most));
        Instant wanted = from.plusMillis((long) (window.toMillis() * fraction(there)));
        Instant least = givenAt.equals(Instant.MIN) ? Instant.MIN : givenAt.plus(STAYS_LEAST);
        return wanted.isBefore(least) ? least : wanted;
    }

    /** From 0 to 1, the same for one certificate at each look, and in each process. */
    private static double fraction(KeyedCertificate there) {
        return (there.certificate().getSerialNumber().hashCode() & 0xFFFF) / (double) 0x10000;
    }

    private Issuer.@Nullable Advice advice(KeyedCertificate there, Instant now) throws InterruptedException {
        Duration life = Duration.between(there.afterPart(0), there.notAfter());
        if (life.compareTo(ADVISED_LEAST) < 0) {
            return null;
        }
        boolean same = advised != null && advised.certificate().equals(there.certificate());
        if (!same || !now.isBefore(adviceAgain)) {
            Issuer.Advice found = issuer.advice(there);
            adviceAgain = found == null
                    ? now.plus(NO_ADVICE_AGAIN)
                    : within(found.again(), now.plus(ADVICE_AGAIN_LEAST), now.plus(ADVICE_AGAIN_MOST));
            advice = found;
            advised = there;
        }
        return advice;
    }

    private Instant ask(Instant now) throws InterruptedException {
        try (CertificateFolder.Lock lock = folder.lock()) {
            if (lock == null) {
                return now.plus(LOOK_AGAIN);
            }
            KeyedCertificate before = folder.read(host);
            if (before != null && now.isBefore(due(before, now))) {
                // Another process has asked meanwhile.
                return now;
            }
            KeyedCertificate given = issuer.issue(host, before);
            folder.write(host, given);
            given(given, now);
            KeyedCertificate there = folder.read(host);
            boolean good = there != null && now.isBefore(there.afterPart(RENEWED_AFTER));
            return good ? now : now.plus(UNREAD_AGAIN);
        } catch (NotIssuedException e) {
            return failed(e, now);
        }
    }

    private void given(KeyedCertificate given, Instant now) {
        failures = 0;
        said = null;
        givenAt = now;
        means.counters().increment(Counter.ACME_CERTIFICATES);
        LOG.info("{}: a certificate was given, good until {}", host, given.notAfter());
    }

    private Instant failed(NotIssuedException e, Instant now) {
        failures++;
        means.counters().increment(Counter.ACME_FAILURES);
        Instant again = now.plus(means.backoff().after(failures, means.chance().getAsDouble()));
        Instant wanted = e.notBefore();
        notBefore = wanted == null ? Instant.MIN : wanted;
        if (again.isBefore(notBefore)) {
            again = notBefore;
        }
        String why = String.valueOf(e.getMessage());
        if (!why.equals(said)) {
            said = why;
            LOG.warn("{}: no certificate was given: {}; asked for again from {} on", host, why, again);
        }
        return again;
    }
}
