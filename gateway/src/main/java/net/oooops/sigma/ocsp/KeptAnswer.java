package net.oooops.sigma.ocsp;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.DoubleSupplier;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.ask.Unanswered;
import net.oooops.sigma.certificate.OcspAnswer;
import net.oooops.sigma.certificate.OcspFault;
import net.oooops.sigma.certificate.OcspQuestion;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.WorkerCounters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known of one certificate: asked for at once, and again when half of the answer's time is over, but once a day at least. Whatever fails leaves the
 * answer in place for as long as it holds.
 *
 * <pre>
 *   DUE ─▶ ASKED ─▶ answered: until half of its time is over, a day at most ─▶ DUE
 *            └────▶ failed: for longer each time ─▶ DUE
 * </pre>
 *
 * <p>For one thread.
 */
final class KeptAnswer {
    /** What is asked for again at half of its time, and comes again as it was, is asked for at half of what is left then; not sooner than after this. */
    private static final Duration ASK_LEAST = Duration.ofMinutes(1);

    /** However long an answer holds: the certificate may be revoked meanwhile. */
    private static final Duration ASK_MOST = Duration.ofDays(1);

    /** The same for one that doesn't say how long it holds. */
    private static final Duration ASK_MOST_OPEN = Duration.ofHours(1);

    /** An answer isn't awaited for longer, whatever became of the question. */
    private static final Duration ASKED_MOST = Duration.ofMinutes(5);

    /** What is bad is said again after as long. */
    private static final Duration SAY_AGAIN = Duration.ofDays(1);

    private static final Logger LOG = LoggerFactory.getLogger(KeptAnswer.class);

    private final OcspQuestion question;
    private final Means means;
    private Instant next = Instant.MIN;
    private int failures;
    private @Nullable String said;
    private @Nullable OcspAnswer answer;
    private @Nullable CompletableFuture<byte[]> asked;
    private Instant askedUntil = Instant.MAX;
    private @Nullable Instant revokedSaid;
    private boolean expiredSaid;

    /**
     * What all of them have in common.
     *
     * @param counters written by this thread alone
     * @param chance from 0 to 1
     */
    record Means(Responder responder, Backoff backoff, WorkerCounters counters, DoubleSupplier chance) {}

    KeptAnswer(OcspQuestion question, Means means) {
        this.question = question;
        this.means = means;
    }

    /** Whether an answer is awaited. */
    boolean isAsked() {
        return asked != null;
    }

    /** What is shown with the certificate now; null: nothing. */
    @Nullable OcspAnswer shown(Instant now) {
        OcspAnswer there = answer;
        return there != null && there.isShowable(now.toEpochMilli()) ? there : null;
    }

    /**
     * Does what is due.
     *
     * @param mayAsk whether nobody else has to be waited for
     */
    void look(Instant now, boolean mayAsk) {
        CompletableFuture<byte[]> awaited = asked;
        if (awaited != null && (awaited.isDone() || !now.isBefore(askedUntil))) {
            asked = null;
            // Whoever asks has an end long before, unless its thread has ended without a word.
            awaited.completeExceptionally(new Unanswered("nothing has come of asking it", null));
            take(awaited, now);
        } else if (awaited == null && mayAsk && !now.isBefore(next)) {
            ask(now);
        }
        sayWhatIsBad(now);
    }

    private void ask(Instant now) {
        try {
            asked = means.responder().ask(question);
            askedUntil = now.plus(ASKED_MOST);
        } catch (RuntimeException | Error e) {
            broken(e, now);
        }
    }

    private void take(CompletableFuture<byte[]> awaited, Instant now) {
        try {
            taken(question.read(awaited.join(), now), now);
        } catch (OcspFault e) {
            failed(String.valueOf(e.getMessage()), now);
        } catch (CompletionException e) {
            Throwable why = e.getCause() == null ? e : e.getCause();
            if (why instanceof Error) {
                broken(why, now);
            } else {
                failed(Unanswered.why(why), now);
            }
        } catch (RuntimeException | Error e) {
            broken(e, now);
        }
    }

    /** That isn't the responder's fault: memory was short, or Sigma is wrong. */
    private void broken(Throwable why, Instant now) {
        failed("for a fault of Sigma's own or of the JVM's, " + why, now);
    }

    private void taken(OcspAnswer fresh, Instant now) {
        if (answer != null && fresh.isOlderThan(answer)) {
            // It may be a recorded one from before a certificate was revoked.
            failed("what it sent is older than what it had sent before", now);
            return;
        }
        means.counters().increment(Counter.OCSP_RESPONSES);
        if (said != null) {
            LOG.info("{}: {} answers again", named(), question.responder());
        } else if (answer == null) {
            LOG.info("{}: {} has answered, until {}", named(), question.responder(), fresh.until());
        }
        answer = fresh;
        failures = 0;
        said = null;
        expiredSaid = false;
        next = askAgain(fresh, now);
    }

    private static Instant askAgain(OcspAnswer fresh, Instant now) {
        Instant half = fresh.half().isAfter(now) ? fresh.half() : halfway(now, fresh.until());
        Instant soonest = now.plus(ASK_LEAST);
        Instant latest = now.plus(fresh.isOpen() ? ASK_MOST_OPEN : ASK_MOST);
        return half.isBefore(soonest) ? soonest : half.isAfter(latest) ? latest : half;
    }

    private static Instant halfway(Instant now, Instant until) {
        return now.plus(Duration.between(now, until).dividedBy(2));
    }

    private void failed(String why, Instant now) {
        failures++;
        means.counters().increment(Counter.OCSP_FAILURES);
        next = now.plus(means.backoff().after(failures, means.chance().getAsDouble()));
        if (!why.equals(said)) {
            said = why;
            LOG.warn(
                    "{}: no OCSP response from {}: {}; asked again from {} on{}",
                    named(),
                    question.responder(),
                    why,
                    next,
                    shown(now) == null ? "" : ", and the one before is shown meanwhile");
        }
    }

    private void sayWhatIsBad(Instant now) {
        OcspAnswer there = answer;
        if (there == null) {
            return;
        }
        Instant revokedAt = there.revokedAt();
        if (revokedAt != null) {
            sayRevoked(revokedAt, now);
        } else if (shown(now) == null && !expiredSaid) {
            expiredSaid = true;
            LOG.warn("{}: its OCSP response held until {}; it is shown without one now", named(), there.until());
        }
    }

    private void sayRevoked(Instant since, Instant now) {
        Instant before = revokedSaid;
        if (before != null && now.isBefore(before.plus(SAY_AGAIN))) {
            return;
        }
        if (before == null) {
            means.counters().increment(Counter.OCSP_REVOKED);
        }
        revokedSaid = now;
        LOG.error(
                "{}: REVOKED since {}, says {}: clients that look refuse it; show another one",
                named(),
                since,
                question.responder());
    }

    private String named() {
        return "certificate of " + question.certificate().getSubjectX500Principal() + ", serial number "
                + question.certificate().getSerialNumber().toString(16);
    }
}
