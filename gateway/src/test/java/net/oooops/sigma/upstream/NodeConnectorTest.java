package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.names.HostAddresses;
import net.oooops.sigma.names.LastAnswers;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameOutages;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.names.NameServer;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes with names, which a name server on the loopback knows: asked again when a TTL is over, and not before. */
class NodeConnectorTest {
    private static final String NAME = "node.sigma.test";
    private static final Duration ABSENT = Duration.ofSeconds(2);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    private final NameServer names = NameServer.start();
    private final NameOutages outages = new NameOutages();
    private final LastAnswers answers = new LastAnswers(Set::of);
    private final NameAsker asker = asker(NioDatagramChannel::new);
    private final NameResolution resolution = new NameResolution(loop, asker);
    private final ScriptedUpstream first = node("127.0.0.1", 0);
    private final ScriptedUpstream second = node("127.0.0.2", first.port());
    private final ScriptedUpstream third = node("127.0.0.3", first.port());

    private static ScriptedUpstream node(String host, int port) {
        return ScriptedUpstream.start(
                UpstreamOptions.defaults().withHost(host).withPort(port), request -> Answer.ok("hello"));
    }

    @AfterEach
    void stop() throws Exception {
        asker.close();
        names.close();
        List.of(first, second, third).forEach(ScriptedUpstream::close);
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    @Test
    void aNameIsResolvedAndItsAddressesTakeTurns() {
        names.answer(NAME, 60, "127.0.0.2", "127.0.0.3");
        NodeConnector connector = connector(NAME);

        List<String> reached = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            reached.add(connect(connector).address());
        }
        assertThat(reached).containsOnly("127.0.0.2", "127.0.0.3");
        assertThat(reached.get(0)).isEqualTo(reached.get(2)).isNotEqualTo(reached.get(1));
        assertThat(names.questions(NAME)).isLessThanOrEqualTo(2);
    }

    @Test
    void itIsResolvedAgainWhenItsTimeIsOver() {
        names.answer(NAME, 1, "127.0.0.2");
        NodeConnector connector = connector(NAME);
        assertThat(connect(connector).address()).isEqualTo("127.0.0.2");
        assertThat(connector.hasMoved()).isFalse();

        names.answer(NAME, 60, "127.0.0.3");
        Await.until("other addresses are known", () -> {
            loop.submit(connector::refresh).syncUninterruptibly();
            return connector.hasMoved();
        });
        assertThat(serves(connector, "127.0.0.3")).isTrue();
        assertThat(connect(connector).address()).isEqualTo("127.0.0.3");
        // What is open to the other one isn't closed at once.
        assertThat(serves(connector, "127.0.0.1")).isFalse();
        Await.until("it is left", () -> !serves(connector, "127.0.0.2"));
    }

    @Test
    void addressesThatAnswersHaveInTurnAreTheNames() {
        names.answer(NAME, 1, "127.0.0.1", "127.0.0.2");
        NodeConnector connector = connector(NAME);
        connect(connector);
        long since = System.nanoTime();
        for (int i = 0; System.nanoTime() - since < 2 * ABSENT.toNanos(); i++) {
            String other = "127.0.0." + (2 + i % 2);
            names.answer(NAME, 1, other);
            Await.until("known", () -> {
                loop.submit(connector::refresh).syncUninterruptibly();
                return connect(connector).address().equals(other);
            });
            assertThat(serves(connector, "127.0.0.2")).isTrue();
        }
        assertThat(serves(connector, "127.0.0.3")).isTrue();
        assertThat(serves(connector, "127.0.0.1")).isFalse();
    }

    private boolean serves(NodeConnector connector, String address) {
        return loop.submit(() -> connector.serves(new InetSocketAddress(address, 1)))
                .syncUninterruptibly()
                .getNow();
    }

    /** Some name servers leave none of the addresses in an answer that is cut, others some. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void anAnswerThatIsCutIsAskedForOverTcp(int left) {
        String[] many =
                IntStream.rangeClosed(1, 100).mapToObj(i -> "127.0.1." + i).toArray(String[]::new);
        names.leaveOfCut(left);
        names.answer(NAME, 60, many);
        NodeConnector connector = connector(NAME);
        connect(connector);
        List<String> known = loop.submit(() -> IntStream.range(0, many.length)
                        .mapToObj(i -> Objects.requireNonNull(connector.nextAddress())
                                .getAddress()
                                .getHostAddress())
                        .toList())
                .syncUninterruptibly()
                .getNow();
        assertThat(known).containsExactlyInAnyOrder(many);
        assertThat(names.questionsOverTcp()).as("by three tries at most").isBetween(1, 3);
    }

    /** As in the process that takes the place of another one. */
    @Test
    void whatOneWasToldLastAnotherUsesWhereItHasNoAnswer() throws Exception {
        names.answer(NAME, 1, "127.0.0.1");
        assertThat(connect(connector(NAME)).address()).isEqualTo("127.0.0.1");
        names.silence();

        try (NameAsker next = asker(NioDatagramChannel::new)) {
            NodeConnector other = connector(NAME, NioSocketChannel::new, new NameResolution(loop, next));
            long from = System.nanoTime();
            assertThat(connect(other).address()).isEqualTo("127.0.0.1");
            assertThat(System.nanoTime() - from).isGreaterThanOrEqualTo(HostAddresses.PATIENCE_NANOS);
            assertThat(loop.submit(other::nextAddress).get()).isNotNull();
            assertThat(loop.submit(other::hasMoved).get()).isFalse();

            names.answer(NAME, 60, "127.0.0.2");
            names.speak();
            Await.until("its own answer", () -> connect(other).address().equals("127.0.0.2"));
        }
    }

    @Test
    void whatIsKeptIsNotAskedForAgain() {
        names.answer(NAME, 60, "127.0.0.2");
        NodeConnector connector = connector(NAME);
        connect(connector);
        int questions = names.questions(NAME);
        for (int i = 0; i < 100; i++) {
            loop.submit(connector::refresh).syncUninterruptibly();
            connect(connector);
        }
        assertThat(names.questions(NAME)).isEqualTo(questions);
    }

    @Test
    void aNameServerThatSaysZeroIsNotAskedForEachRequest() {
        names.answer(NAME, 0, "127.0.0.2");
        NodeConnector connector = connector(NAME);
        connect(connector);
        int questions = names.questions(NAME);
        for (int i = 0; i < 20; i++) {
            connect(connector);
        }
        assertThat(names.questions(NAME)).isLessThanOrEqualTo(2 * questions);
    }

    @Test
    void anotherTimeHoldsForConnectionsThatAreOpenedLater() {
        try (PortHold hanging = ScriptedUpstream.fullBacklogPort()) {
            Bootstrap bootstrap = new Bootstrap().group(loop).channel(NioSocketChannel.class);
            NodeConnector connector = new NodeConnector(
                    new NodeConnector.Means(loop, bootstrap, resolution),
                    new NodeConnector.Target("127.0.0.1", hanging.port(), null),
                    TimeUnit.MINUTES.toNanos(10));
            loop.submit(() -> connector.connectTimeout(TimeUnit.MILLISECONDS.toNanos(50)))
                    .syncUninterruptibly();
            assertThat(connect(connector).fault()).isEqualTo(Fault.CONNECT_TIMEOUT);
        }
    }

    @Test
    void aNameThatThereIsNotFails() {
        Outcome outcome = connect(connector("nobody.sigma.test"));

        assertThat(outcome.fault()).isEqualTo(Fault.DNS_FAILED);
        // What is kept is a failure too, and isn't told before the caller is back.
        boolean[] back = {false};
        boolean[] toldBefore = {false};
        NodeConnector connector = connector("nobody.sigma.test");
        CompletableFuture<Fault> failed = new CompletableFuture<>();
        loop.execute(() -> {
            connector.connect(new NodeConnector.Callback() {
                @Override
                public void onConnected(Channel channel) {
                    failed.completeExceptionally(new AssertionError("connected"));
                }

                @Override
                public void onConnectFailed(Fault fault, Throwable cause) {
                    toldBefore[0] = !back[0];
                    failed.complete(fault);
                }
            });
            back[0] = true;
        });
        assertThat(failed.orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo(Fault.DNS_FAILED);
        assertThat(toldBefore[0]).isFalse();
    }

    @Test
    void aNameServerThatIsSilentIsNotWaitedForLong() {
        names.silence();
        long from = System.nanoTime();

        assertThat(connect(connector(NAME)).fault()).isEqualTo(Fault.DNS_FAILED);
        assertThat(System.nanoTime() - from).isLessThan(8_000_000_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"silent", "SERVFAIL", "refused", "no such name", "empty"})
    void whatWasLastKnownStaysWhileThereIsNoAnswer(String how) {
        names.answer(NAME, 1, "127.0.0.2");
        NodeConnector connector = connector(NAME);
        assertThat(connect(connector).address()).isEqualTo("127.0.0.2");
        switch (how) {
            case "silent" -> names.silence();
            case "SERVFAIL" -> names.fail(2);
            case "refused" -> names.fail(5);
            case "no such name" -> names.fail(3);
            default -> names.answer(NAME, 1);
        }
        Await.until("noticed", () -> {
            assertThat(connect(connector).address()).isEqualTo("127.0.0.2");
            return outages.failingCount() == 1;
        });
        long failures = outages.failureCount();
        long from = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            assertThat(connect(connector).address()).isEqualTo("127.0.0.2");
        }
        assertThat(System.nanoTime() - from).isLessThan(5_000_000_000L);
        Await.until("asked again", () -> {
            loop.submit(connector::refresh).syncUninterruptibly();
            return outages.failureCount() > failures;
        });
        assertThat(connector.hasMoved()).isFalse();

        names.speak();
        names.fail(0);
        names.answer(NAME, 60, "127.0.0.3");
        Await.until("answered again", () -> {
            loop.submit(connector::refresh).syncUninterruptibly();
            return outages.failingCount() == 0;
        });
        assertThat(connect(connector).address()).isEqualTo("127.0.0.3");
    }

    @Test
    void aNameThatIsNoLongerUsedDoesNotFail() {
        names.answer(NAME, 1, "127.0.0.2");
        NodeConnector connector = connector(NAME);
        connect(connector);
        names.fail(2);
        Await.until("noticed", () -> {
            loop.submit(connector::refresh).syncUninterruptibly();
            return outages.failingCount() == 1;
        });
        loop.submit(connector::close).syncUninterruptibly();
        assertThat(outages.failingCount()).isZero();
        int asked = names.questions(NAME);
        Await.until("asked once more", () -> {
            connect(connector);
            return names.questions(NAME) > asked;
        });
        assertThat(connect(connector).address()).isEqualTo("127.0.0.2");
        assertThat(outages.failingCount()).isZero();
    }

    @Test
    void anAnswerThatTakesLongIsNotWaitedForWhereAnOlderOneIsKnown() {
        names.answer(NAME, 1, "127.0.0.2");
        NodeConnector connector = connector(NAME);
        connect(connector);
        names.silence();
        int asked = names.questions(NAME);
        long[] took = {0};
        Await.until("its time is over", () -> {
            long from = System.nanoTime();
            assertThat(connect(connector).address()).isEqualTo("127.0.0.2");
            took[0] = System.nanoTime() - from;
            return names.questions(NAME) > asked;
        });
        assertThat(took[0]).isGreaterThanOrEqualTo(HostAddresses.PATIENCE_NANOS).isLessThan(5_000_000_000L);
    }

    @Test
    void anAddressNeedsNoName() {
        assertThat(connect(connector("127.0.0.1")).address()).isEqualTo("127.0.0.1");
        assertThat(names.questions()).isZero();
    }

    @Test
    void wantOfDescriptorsIsNoFaultOfTheNodes() {
        assertThat(connect(connector("127.0.0.1", NodeConnectorTest::noSocket)).fault())
                .isEqualTo(Fault.OUT_OF_DESCRIPTORS);
    }

    @Test
    void wantOfDescriptorsForTheFirstQuestionIsOver() {
        names.answer(NAME, 60, "127.0.0.2");
        AtomicBoolean none = new AtomicBoolean(true);
        NameAsker first = asker(() -> none.get() ? noSocket() : new NioDatagramChannel());
        Bootstrap bootstrap = new Bootstrap().group(loop).channel(NioSocketChannel.class);
        NodeConnector connector = new NodeConnector(
                new NodeConnector.Means(loop, bootstrap, new NameResolution(loop, first)),
                new NodeConnector.Target(NAME, this.first.port(), null),
                TimeUnit.SECONDS.toNanos(2));
        assertThat(connect(connector).fault()).isEqualTo(Fault.OUT_OF_DESCRIPTORS);
        none.set(false);
        assertThat(connect(connector).address()).isEqualTo("127.0.0.2");
        first.close();
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
    private static <C> C noSocket() {
        throw new ChannelException("Failed to open a socket.", new IOException("Too many open files"));
    }

    private NameAsker asker(ChannelFactory<DatagramChannel> channels) {
        return new NameAsker(
                group.next(),
                new NameResolution.Sockets(channels, NioSocketChannel::new),
                new NameResolution.Settings(
                        TimeUnit.MILLISECONDS.toNanos(300),
                        1,
                        300,
                        ABSENT.toNanos(),
                        new SingletonDnsServerAddressStreamProvider(names.address())),
                outages,
                answers);
    }

    private NodeConnector connector(String host) {
        return connector(host, NioSocketChannel::new);
    }

    private NodeConnector connector(String host, ChannelFactory<Channel> channels) {
        return connector(host, channels, resolution);
    }

    private NodeConnector connector(String host, ChannelFactory<Channel> channels, NameResolution by) {
        Bootstrap bootstrap = new Bootstrap().group(loop).channelFactory(channels);
        return new NodeConnector(
                new NodeConnector.Means(loop, bootstrap, by),
                new NodeConnector.Target(host, first.port(), null),
                TimeUnit.SECONDS.toNanos(2));
    }

    /** The address reached, or what went wrong. */
    private record Outcome(String address, @Nullable Fault fault) {}

    private Outcome connect(NodeConnector connector) {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        loop.execute(() -> connector.connect(new NodeConnector.Callback() {
            @Override
            public void onConnected(Channel channel) {
                InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
                channel.close();
                outcome.complete(new Outcome(remote.getAddress().getHostAddress(), null));
            }

            @Override
            public void onConnectFailed(Fault fault, Throwable cause) {
                outcome.complete(new Outcome("", fault));
            }
        }));
        return outcome.orTimeout(10, TimeUnit.SECONDS).join();
    }
}
