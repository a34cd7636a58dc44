package net.oooops.sigma.ocsp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.certificate.OcspQuestion;
import net.oooops.sigma.certificate.OcspSigner;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.tls.Certificates;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** When a response is asked for, and what is shown meanwhile, with a responder and a clock by hand. */
@Isolated("the log")
class KeptAnswerTest {
    /** Half of it is less than the day after which any response is asked for again. */
    private static final Duration LIFE = Duration.ofHours(40);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private final WorkerCounters counters = new WorkerCounters(RefusalNames.NONE);
    private final LoggedLines log = new LoggedLines(KeptAnswer.class);
    private final List<CompletableFuture<byte[]>> asked = new ArrayList<>();
    /** What asking fails with. */
    private @Nullable Error unable;

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    @SuppressWarnings("NullAway.Init")
    private X509Bundle issued;

    @SuppressWarnings("NullAway.Init")
    private KeptAnswer kept;

    @BeforeEach
    void prepare() throws Exception {
        certificates = new Certificates(dir);
        issued = Certificates.issued(OcspSigner.naming("http://ocsp.example/", "a.example"), certificates.authority());
        Responder responder = question -> {
            if (unable != null) {
                throw unable;
            }
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        };
        kept = new KeptAnswer(
                OcspQuestion.about(OcspSigner.keyed(issued)),
                new KeptAnswer.Means(responder, Backoff.DEFAULT, counters, () -> 0.5));
    }

    @AfterEach
    void end() {
        log.close();
    }

    private long count(Counter counter) {
        return new CountersView(List.of(counters)).snapshot().count(counter);
    }

    private OcspSigner signer(Instant from) {
        return new OcspSigner(certificates.authority()).held(from, from.plus(LIFE));
    }

    private void answer(Instant now, byte[] answer) {
        asked.getLast().complete(answer);
        kept.look(now, true);
    }

    private void fail(Instant now, IOException why) {
        asked.getLast().completeExceptionally(why);
        kept.look(now, true);
    }

    /** Whether it is asked for then. */
    private boolean isAskedAt(Instant now) {
        int before = asked.size();
        kept.look(now, true);
        return asked.size() > before;
    }

    private byte @Nullable [] shown(Instant now) {
        var shown = kept.shown(now);
        return shown == null ? null : shown.encoded();
    }

    /** One from before a certificate was revoked may be sent again by anybody on the way. */
    @Test
    void anOlderOneTakesNoNewersPlace() {
        kept.look(start, true);
        answer(
                start,
                signer(start.minus(Duration.ofHours(1)))
                        .revoked(start.minus(Duration.ofHours(1)))
                        .of(issued));
        assertThat(shown(start)).isNull();
        Instant later = start.plus(LIFE.dividedBy(2));
        assertThat(isAskedAt(later)).isTrue();
        answer(later, signer(start.minus(Duration.ofHours(10))).of(issued));
        assertThat(shown(later)).isNull();
        assertThat(count(Counter.OCSP_FAILURES)).isEqualTo(1);
        assertThat(log.lines()).anyMatch(line -> line.contains("older than what it had sent before"));

        Instant muchLater = later.plus(Duration.ofDays(1));
        assertThat(isAskedAt(muchLater)).isTrue();
        byte[] fresh = signer(later).of(issued);
        answer(muchLater, fresh);
        assertThat(shown(muchLater)).isEqualTo(fresh);
    }

    @Test
    void itIsAskedForAtOnceAndAgainAtHalfOfItsTime() {
        assertThat(isAskedAt(start)).isTrue();
        assertThat(isAskedAt(start)).as("while it is awaited").isFalse();
        assertThat(shown(start)).isNull();
        byte[] first = signer(start).of(issued);
        answer(start, first);
        assertThat(shown(start)).isEqualTo(first);
        Instant half = start.plus(LIFE.dividedBy(2));
        assertThat(isAskedAt(half.minusMillis(1))).isFalse();
        assertThat(isAskedAt(half)).isTrue();
        assertThat(shown(half)).as("while the next one is awaited").isEqualTo(first);
        byte[] second = signer(half).of(issued);
        answer(half, second);
        assertThat(shown(half)).isEqualTo(second);
        assertThat(count(Counter.OCSP_RESPONSES)).isEqualTo(2);
        assertThat(count(Counter.OCSP_FAILURES)).isZero();
        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void whoeverMayNotAskWaits() {
        kept.look(start, false);
        assertThat(asked).isEmpty();
        assertThat(kept.isAsked()).isFalse();
    }

    /** Responders keep answers for days: it is asked for less and less, but not without an end. */
    @Test
    void theSameAnswerOnceMoreIsAskedForAtHalfOfWhatIsLeft() {
        kept.look(start, true);
        byte[] same = signer(start).of(issued);
        answer(start, same);
        Instant late = start.plus(LIFE).minus(Duration.ofHours(8));
        assertThat(isAskedAt(late)).isTrue();
        answer(late, same);
        assertThat(isAskedAt(late.plus(Duration.ofHours(4)).minusMillis(1))).isFalse();
        assertThat(isAskedAt(late.plus(Duration.ofHours(4)))).isTrue();
        Instant last = start.plus(LIFE).minusSeconds(10);
        answer(last, same);
        assertThat(isAskedAt(last.plusSeconds(59))).isFalse();
        assertThat(isAskedAt(last.plusSeconds(60))).isTrue();
    }

    /** A responder may say that its answers hold for years: a revocation would never be seen. */
    @Test
    void howeverLongAnAnswerHoldsItIsAskedForAgainAfterADay() {
        kept.look(start, true);
        byte[] first = new OcspSigner(certificates.authority())
                .held(start, start.plus(Duration.ofDays(3650)))
                .of(issued);
        answer(start, first);
        Instant next = start.plus(Duration.ofDays(1));
        assertThat(isAskedAt(next.minusMillis(1))).isFalse();
        assertThat(isAskedAt(next)).isTrue();
        answer(next, first);
        assertThat(shown(next)).isEqualTo(first);
        Instant third = next.plus(Duration.ofDays(1));
        assertThat(isAskedAt(third.minusMillis(1))).isFalse();
        assertThat(isAskedAt(third)).isTrue();
        answer(third, signer(third).revoked(next).of(issued));
        assertThat(shown(third)).isNull();
    }

    /** It was made for all who ask, some hours ago; newer ones are there at any time. */
    @Test
    void oneThatDoesntSayHowLongItHoldsIsAskedForEveryHour() {
        kept.look(start, true);
        Instant made = start.minus(Duration.ofHours(5));
        byte[] first = new OcspSigner(certificates.authority()).held(made, null).of(issued);
        answer(start, first);
        assertThat(shown(start)).isEqualTo(first);
        Instant next = start.plus(Duration.ofHours(1));
        assertThat(isAskedAt(next.minusMillis(1))).isFalse();
        assertThat(isAskedAt(next)).isTrue();
        fail(next, new ConnectException("Connection refused"));
        assertThat(shown(made.plus(Duration.ofDays(1)).minusMillis(1))).isEqualTo(first);
        assertThat(shown(made.plus(Duration.ofDays(1)))).isNull();
    }

    /** No thread could be started, there was no memory for an answer, a class is missing: it is said once, and asked again in its time. */
    @Test
    void anErrorOfTheJvmIsAFailureLikeOthers() {
        unable = new NoClassDefFoundError("org/bouncycastle/A");
        kept.look(start, true);
        assertThat(log.lines().getLast())
                .contains("no OCSP response from http://ocsp.example/: for a fault of Sigma's own or of the JVM's, "
                        + "java.lang.NoClassDefFoundError: org/bouncycastle/A; asked again from ");
        Instant next = start.plus(Duration.ofMinutes(1));
        kept.look(next.minusMillis(1), true);
        kept.look(next, true);
        assertThat(count(Counter.OCSP_FAILURES)).isEqualTo(2);
        assertThat(log.lines()).as("the same cause is said once").hasSize(1);
        unable = null;
        Instant third = next.plus(Duration.ofMinutes(2));
        assertThat(isAskedAt(third)).isTrue();
        asked.getLast().completeExceptionally(new StackOverflowError());
        kept.look(third, true);
        assertThat(log.lines().getLast()).contains("java.lang.StackOverflowError");
        Instant fourth = third.plus(Duration.ofMinutes(4));
        assertThat(isAskedAt(fourth)).isTrue();
        byte[] good = signer(fourth).of(issued);
        answer(fourth, good);
        assertThat(shown(fourth)).isEqualTo(good);
    }

    @Test
    void aQuestionOfWhichNothingComesIsGivenUp() {
        kept.look(start, true);
        Instant late = start.plus(Duration.ofMinutes(5));
        kept.look(late.minusMillis(1), true);
        assertThat(kept.isAsked()).isTrue();
        kept.look(late, true);
        assertThat(kept.isAsked()).isFalse();
        assertThat(log.lines().getLast()).contains("nothing has come of asking it; asked again from ");
        assertThat(isAskedAt(late.plus(Duration.ofMinutes(1)))).isTrue();
    }

    @Test
    void whatFailsLeavesTheOneBeforeUntilItIsOver() {
        kept.look(start, true);
        byte[] first = signer(start).of(issued);
        answer(start, first);
        Instant half = start.plus(LIFE.dividedBy(2));
        kept.look(half, true);
        fail(half, new ConnectException("Connection refused"));
        assertThat(shown(half)).isEqualTo(first);
        assertThat(log.lines().getLast())
                .startsWith("WARN certificate of CN=a.example")
                .contains("no OCSP response from http://ocsp.example/: it takes no connection (Connection refused)")
                .endsWith("and the one before is shown meanwhile");
        Instant at = half;
        for (long minutes : new long[] {1, 2, 4, 8}) {
            Instant next = at.plus(Duration.ofMinutes(minutes));
            assertThat(isAskedAt(next.minusMillis(1))).isFalse();
            assertThat(isAskedAt(next)).isTrue();
            at = next;
            fail(at, new ConnectException("Connection refused"));
        }
        assertThat(log.lines()).as("the same cause is said once").hasSize(2);
        assertThat(count(Counter.OCSP_FAILURES)).isEqualTo(5);
        Instant over = start.plus(LIFE);
        kept.look(over, false);
        kept.look(over.plusSeconds(1), false);
        assertThat(shown(over)).isNull();
        assertThat(log.lines()).hasSize(3);
        assertThat(log.lines().getLast()).contains("it is shown without one now");
        kept.look(over, true);
        answer(over, signer(over).of(issued));
        assertThat(shown(over)).isNotNull();
        assertThat(log.lines().getLast()).endsWith("answers again");
    }

    @Test
    void whatIsNotBelievedChangesNothing() {
        kept.look(start, true);
        byte[] first = signer(start).of(issued);
        answer(start, first);
        Instant half = start.plus(LIFE.dividedBy(2));
        kept.look(half, true);
        answer(
                half,
                signer(half)
                        .revoked(half)
                        .by(new Certificates(dir).authority(), true)
                        .of(issued));
        assertThat(shown(half)).isEqualTo(first);
        assertThat(count(Counter.OCSP_REVOKED)).isZero();
        assertThat(count(Counter.OCSP_FAILURES)).isEqualTo(1);
    }

    @Test
    void aRevokedOneIsSaidLoudlyOnceADayAndShownWithoutAResponse() {
        kept.look(start, true);
        answer(start, signer(start).of(issued));
        Instant half = start.plus(LIFE.dividedBy(2));
        kept.look(half, true);
        answer(half, signer(half).revoked(half.minusSeconds(5)).of(issued));
        assertThat(shown(half)).isNull();
        assertThat(count(Counter.OCSP_REVOKED)).isEqualTo(1);
        String line = Objects.requireNonNull(log.lines().getLast());
        assertThat(line).startsWith("ERROR certificate of CN=a.example").contains("REVOKED since");
        int lines = log.lines().size();
        kept.look(half.plus(Duration.ofHours(23)), false);
        assertThat(log.lines()).hasSize(lines);
        kept.look(half.plus(Duration.ofDays(1)), false);
        assertThat(log.lines()).hasSize(lines + 1);
        assertThat(count(Counter.OCSP_REVOKED)).isEqualTo(1);
    }
}
