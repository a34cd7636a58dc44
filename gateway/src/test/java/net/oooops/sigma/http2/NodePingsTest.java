package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.testkit.ManualClock;
import net.oooops.sigma.time.DeadlineWheel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often a quiet node is asked for a sign of life: a server of gRPC with the settings that it comes with puts up with it. */
@SuppressWarnings("NullAway.Init")
class NodePingsTest {
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);
    /** Nothing for 10 s, which is noticed after up to 10 s more; and the wheel's coarseness. */
    private static final Duration QUIET_MAX = Duration.ofSeconds(22);

    private final ManualClock clock = new ManualClock();
    private final DeadlineWheel wheel = new DeadlineWheel(clock);
    private final GrpcPingCount node = new GrpcPingCount(clock);
    private LocalPair pair;

    @BeforeEach
    void connect() throws Exception {
        pair = LocalPair.open(node, wheel);
    }

    @AfterEach
    void stop() {
        pair.close();
        assertThat(pair.thrown()).isNull();
    }

    private void onLoop(Runnable does) throws Exception {
        pair.onLoop(does);
    }

    /** A call that waits for its answer. Returns its stream. */
    private ClientStream call() throws Exception {
        return pair.call(new ContentCall());
    }

    private void pass(Duration time) throws Exception {
        for (Duration gone = Duration.ZERO; gone.compareTo(time) < 0; gone = gone.plus(STEP)) {
            onLoop(() -> {
                clock.advance(STEP);
                wheel.advance();
            });
        }
    }

    private void assertAllIsWell() {
        assertThat(node.isCalmed()).isFalse();
        assertThat(pair.isLost()).isFalse();
        assertThat(pair.broken()).isNull();
    }

    @Test
    void aQuietCallLastsAnHour() throws Exception {
        call();
        pass(Duration.ofHours(1));
        assertAllIsWell();
        assertThat(node.strikes()).isZero();
        List<Long> pings = node.pings();
        assertThat(pings).hasSizeBetween(11, 12);
        for (int i = 1; i < pings.size(); i++) {
            assertThat(Duration.ofNanos(pings.get(i) - pings.get(i - 1)))
                    .isBetween(FIVE_MINUTES, FIVE_MINUTES.plusSeconds(30));
        }
    }

    /** A message now and then, each of which is followed by silence. */
    @Test
    void aCallThatSaysSomethingEachMinuteIsAskedAfterEach() throws Exception {
        call();
        onLoop(() -> node.head(1));
        for (int i = 0; i < 30; i++) {
            pass(Duration.ofMinutes(1));
            onLoop(() -> node.data(1, 10));
        }
        assertAllIsWell();
        assertThat(node.strikes()).isZero();
        assertThat(node.pings()).hasSize(30);
    }

    /** Windows that a node opens, as for a call whose client sends much, are signs of life, but earn no PING. */
    @Test
    void windowsMakeNoPingFree() throws Exception {
        call();
        for (int i = 0; i < 30; i++) {
            pass(Duration.ofMinutes(1));
            onLoop(() -> node.window(1));
        }
        assertAllIsWell();
        assertThat(node.strikes()).isZero();
        assertThat(node.pings()).hasSizeBetween(5, 6);
    }

    /** A message of which the second half is measured (a PING), and that is all that the node says. */
    private void measuredMessage() throws Exception {
        onLoop(() -> node.data(1, 16_384));
        onLoop(() -> node.data(1, 16_384));
    }

    /** The PING that measures how much is under way is one, too: one for a sign of life comes too soon after it, and a third one would be one too many. */
    @Test
    void messagesThatAreMeasuredAreNoTrap() throws Exception {
        call();
        onLoop(() -> node.head(1));
        for (int i = 1; i <= 20; i++) {
            measuredMessage();
            pass(Duration.ofSeconds(30));
            call();
            pass(Duration.ofSeconds(30));
            assertThat(node.pings()).hasSize(2 * i);
            assertThat(node.strikes()).isEqualTo(1);
        }
        assertAllIsWell();
    }

    /** The PING that measured says nothing of a time after it. */
    @Test
    void aNodeThatIsGoneBehindAMeasuredMessageIsNoticed() throws Exception {
        call();
        pass(Duration.ofMinutes(1));
        assertThat(node.pings()).as("as the call began").hasSize(1);
        onLoop(() -> node.head(1));
        measuredMessage();
        assertThat(node.pings()).hasSize(2);
        onLoop(node::fallSilent);
        pass(QUIET_MAX);
        assertThat(node.pings()).hasSize(3);
        assertThat(pair.isLost()).isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(pair.isLost()).isTrue();
    }

    /** The node may have said it before it had the PING, and counts from there. */
    @Test
    void whatComesBeforeAPingIsAnsweredMakesNoOtherFree() {
        NodePings pings = new NodePings();
        pings.asked(0);
        pings.spoken();
        assertThat(pings.mayAsk(STEP.toNanos())).isFalse();
        pings.answered();
        assertThat(pings.mayAsk(STEP.toNanos())).isFalse();
        pings.spoken();
        assertThat(pings.mayAsk(STEP.toNanos())).isTrue();
    }

    @Test
    void whatComesBetweenTheAnswersToTwoMakesNoOtherFree() {
        NodePings pings = new NodePings();
        pings.measured(0);
        pings.asked(0);
        pings.answered();
        pings.spoken();
        assertThat(pings.mayAsk(STEP.toNanos())).isFalse();
        pings.answered();
        pings.spoken();
        assertThat(pings.mayAsk(STEP.toNanos())).isTrue();
    }

    /** A node that answers what nobody asked isn't ahead by that. */
    @Test
    void anAnswerToNothingIsNone() {
        NodePings pings = new NodePings();
        pings.answered();
        pings.asked(0);
        pings.spoken();
        assertThat(pings.mayAsk(STEP.toNanos())).isFalse();
        pings.answered();
        pings.spoken();
        assertThat(pings.mayAsk(STEP.toNanos())).isTrue();
    }

    /** One that is gone since it answered isn't left with what begins on its connection. */
    @Test
    void aCallThatBeginsLaterIsReasonToAskOnceMore() throws Exception {
        call();
        pass(Duration.ofMinutes(1));
        assertThat(node.pings()).hasSize(1);
        onLoop(node::fallSilent);
        call();
        pass(QUIET_MAX);
        assertThat(node.pings()).hasSize(2);
        pass(Duration.ofSeconds(10));
        assertThat(pair.isLost()).isTrue();
    }

    @Test
    void callsThatBeginAndSayNothingAreNoTrap() throws Exception {
        for (int i = 0; i < 30; i++) {
            call();
            pass(Duration.ofMinutes(1));
        }
        assertAllIsWell();
        assertThat(node.strikes()).isLessThanOrEqualTo(1);
    }

    /** Between two calls the node has no stream. */
    @Test
    void callsThatAreGivenUpAreNoTrap() throws Exception {
        for (int i = 0; i < 60; i++) {
            ClientStream call = call();
            pass(Duration.ofSeconds(50));
            onLoop(call::abandon);
            assertThat(node.streamsCount()).isZero();
            pass(Duration.ofSeconds(10));
        }
        assertAllIsWell();
    }

    @Test
    void aNodeThatIsGoneIsNoticed() throws Exception {
        call();
        onLoop(node::fallSilent);
        pass(QUIET_MAX);
        assertThat(node.pings()).hasSize(1);
        assertThat(pair.isLost()).isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(pair.isLost()).isTrue();
    }

    @Test
    void aNodeThatIsNotReadIsNotAskedAndStays() throws Exception {
        call();
        onLoop(node::fallSilent);
        onLoop(() -> pair.connection().channel().config().setAutoRead(false));
        pass(Duration.ofMinutes(1));
        assertThat(node.pings()).isEmpty();
        assertThat(pair.isLost()).isFalse();
        onLoop(() -> pair.connection().channel().config().setAutoRead(true));
        pass(QUIET_MAX.plusSeconds(10));
        assertThat(node.pings()).hasSize(1);
        assertThat(pair.isLost()).isTrue();
    }
}
