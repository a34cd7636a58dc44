package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http1.WholeHead;
import net.oooops.sigma.memory.HeadMemory;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.time.DeadlineWheel;
import org.jspecify.annotations.Nullable;

/** A connection to a node of HTTP/2 without a socket, both on an event loop of their own; and what its pool would be told of it. */
final class LocalPair implements Http2ClientConnection.Keeper, AutoCloseable {
    private static final int TURNS = 3;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    private final SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    private final Http2Room room = new Http2Room(new HeadMemory(Long.MAX_VALUE, () -> {}));
    private final HeadWriter writer = new HeadWriter();
    private @Nullable Http2ClientConnection connection;
    private volatile boolean lost;
    private volatile @Nullable String broken;
    private volatile @Nullable Throwable thrown;
    private volatile Runnable going = () -> {};

    private LocalPair() {}

    /** An open one to that node. */
    static LocalPair open(ChannelHandler node, DeadlineWheel wheel) throws Exception {
        LocalPair pair = new LocalPair();
        Channel server = new ServerBootstrap()
                .group(pair.group)
                .channel(LocalServerChannel.class)
                .childHandler(node)
                .bind(new LocalAddress(LocalPair.class))
                .sync()
                .channel();
        ChannelHandler none = new ChannelInboundHandlerAdapter();
        Channel channel = new Bootstrap()
                .group(pair.group)
                .channel(LocalChannel.class)
                .handler(none)
                .connect(server.localAddress())
                .sync()
                .channel();
        pair.onLoop(() -> {
            Http2ClientConnection made =
                    new Http2ClientConnection(pair, Limits.DEFAULT, wheel, RelayMemory.unbounded(), channel);
            pair.connection = made;
            channel.pipeline().addLast(made);
            made.begin(Duration.ofHours(24).toNanos());
        });
        return pair;
    }

    /** Does that, and what comes of it on both sides. */
    void onLoop(Runnable does) throws Exception {
        loop.submit(does).sync();
        for (int i = 0; i < TURNS; i++) {
            CountDownLatch turn = new CountDownLatch(1);
            loop.execute(() -> loop.executeAfterEventLoopIteration(turn::countDown));
            assertThat(turn.await(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Sends that call, which waits for its answer from then on. Returns its stream. */
    ClientStream call(ClientExchange call) throws Exception {
        ClientStream[] stream = new ClientStream[1];
        onLoop(() -> {
            HttpRequestHead head = new HttpRequestHead();
            byte[] text = "GET /call HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);
            assertThat(WholeHead.readRequest(text, head, Limits.DEFAULT)).isNull();
            ClientStream lent = connection().lend();
            lent.begin(call, Duration.ofHours(2).toNanos());
            lent.head(head, null, new HeadWriter().begin(), 0, 0);
            stream[0] = lent;
        });
        return stream[0];
    }

    Http2ClientConnection connection() {
        return requireNonNull(connection);
    }

    /** Whether the connection is closed. */
    boolean isLost() {
        return lost;
    }

    /** Which rule the node broke, or null. */
    @Nullable String broken() {
        return broken;
    }

    /** What was thrown last on the connection, or null. */
    @Nullable Throwable thrown() {
        return thrown;
    }

    /** Does that once no more streams can be had of it. */
    void onGoing(Runnable does) {
        going = does;
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

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
    public void onGoing(Http2ClientConnection of) {
        going.run();
    }

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
