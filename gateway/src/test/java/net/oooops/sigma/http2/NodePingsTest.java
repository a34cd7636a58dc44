package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http1.WholeHead;
import net.oooops.sigma.memory.HeadMemory;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.testkit.ManualClock;
import net.oooops.sigma.time.DeadlineWheel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often a quiet node is asked for a sign of life: a server of gRPC with the settings that it comes with puts up with it. */
class NodePingsTest {
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);
    /** Nothing for 10 s, which is noticed after up to 10 s more; and the wheel's coarseness. */
    private static final Duration QUIET_MAX = Duration.ofSeconds(22);

    private static final int TURNS = 3;

    private final ManualClock clock = new ManualClock();
    private final DeadlineWheel wheel = new DeadlineWheel(clock);
    private final GrpcPingCount node = new GrpcPingCount(clock);
    private final Kept kept = new Kept();
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    private final SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    private @Nullable Http2ClientConnection connection;

    @BeforeEach
    void connect() throws Exception {
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(LocalServerChannel.class)
                .childHandler(node)
                .bind(new LocalAddress(NodePingsTest.class))
                .sync()
                .channel();
        ChannelHandler none = new ChannelInboundHandlerAdapter();
        Channel channel = new Bootstrap()
                .group(group)
                .channel(LocalChannel.class)
                .handler(none)
                .connect(server.localAddress())
                .sync()
                .channel();
        onLoop(() -> {
            Http2ClientConnection made =
                    new Http2ClientConnection(kept, Limits.DEFAULT, wheel, RelayMemory.unbounded(), channel);
            connection = made;
            channel.pipeline().addLast(made);
            made.begin(Duration.ofHours(24).toNanos());
        });
    }

    @AfterEach
    void stop() throws Exception {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        assertThat(kept.thrown).isNull();
    }

    /** Does that, and what comes of it on both sides. */
    private void onLoop(Runnable does) throws Exception {
        loop.submit(does).sync();
        for (int i = 0; i < TURNS; i++) {
            CountDownLatch turn = new CountDownLatch(1);
            loop.execute(() -> loop.executeAfterEventLoopIteration(turn::countDown));
            assertThat(turn.await(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    private Http2ClientConnection open() {
        return requireNonNull(connection);
    }

    /** A call that waits for its answer. Returns its stream. */
    private ClientStream call() throws Exception {
        ClientStream[] stream = new ClientStream[1];
        onLoop(() -> {
            HttpRequestHead head = new HttpRequestHead();
            byte[] text = "GET /call HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);
            assertThat(WholeHead.readRequest(text, head, Limits.DEFAULT)).isNull();
            ClientStream lent = open().lend();
            lent.begin(new Call(), Duration.ofHours(2).toNanos());
            lent.head(head, null, new HeadWriter().begin(), 0, 0);
            stream[0] = lent;
        });
        return stream[0];
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
        assertThat(kept.lost).isFalse();
        assertThat(kept.broken).isNull();
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
        assertThat(kept.lost).isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(kept.lost).isTrue();
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
        assertThat(kept.lost).isTrue();
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
        assertThat(kept.lost).isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(kept.lost).isTrue();
    }

    /** What the connection's pool would be told. */
    private static final class Kept implements Http2ClientConnection.Keeper {
        private final Http2Room room = new Http2Room(new HeadMemory(Long.MAX_VALUE, () -> {}));
        private final HeadWriter writer = new HeadWriter();
        private volatile boolean lost;
        private volatile @Nullable String broken;
        private volatile @Nullable Throwable thrown;

        @Override
        public HeadWriter writer() {
            return writer;
        }

        @Override
        public Http2Room room() {
            return room;
        }

        @Override
        public void onRoom(Http2ClientConnection of) {}

        @Override
        public void onGoing(Http2ClientConnection of) {}

        @Override
        public void onConnectionLost(Http2ClientConnection of) {
            lost = true;
        }

        @Override
        public void onIdleTimeout() {}

        @Override
        public void onBroken(String reason) {
            broken = reason;
        }

        @Override
        public void onThrown(Throwable cause) {
            thrown = cause;
        }
    }

    /** One whose client is content with whatever comes. */
    private static final class Call implements ClientExchange {
        private final HttpResponseHead head = new HttpResponseHead();

        @Override
        public HttpResponseHead responseHead() {
            return head;
        }

        @Override
        public boolean isHeadRequest() {
            return false;
        }

        @Override
        public void onInterimResponse() {}

        @Override
        public void onResponse() {}

        @Override
        public void onResponseBody(ByteBuf in, int count) {
            in.skipBytes(count);
        }

        @Override
        public void onResponseEnd() {}

        @Override
        public void onResponsePause() {}

        @Override
        public void onResponseFault(Fault fault, @Nullable Refusal why) {}

        @Override
        public void onUpstreamWritability(boolean writable) {}
    }
}
