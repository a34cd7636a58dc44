package net.oooops.sigma.control;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.DownstreamConnection;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.HttpServer;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.http1.ServerConnection;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.LoopClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server to have something behind the gateway when it is tried without a configuration: answers every request with the same
 * JSON. Listens on the loopback address, on an event loop of its own.
 *
 * <p>{@link #start} and {@link #close}: any thread.
 */
public final class BuiltInUpstream implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BuiltInUpstream.class);
    private static final byte[] JSON =
            "{\"code\":200,\"msg\":\"success\",\"data\":null}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOTHING = {};
    private static final Field CONTENT_TYPE = Field.of("Content-Type", "application/json");

    private final EventLoopGroup loops;

    private BuiltInUpstream(EventLoopGroup loops) {
        this.loops = loops;
    }

    /** Begins to listen on that port of the loopback address. What connects meanwhile is served: the socket is bound on return. */
    public static BuiltInUpstream start(SocketTransport transport, int port) throws StartException {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                1,
                new DefaultThreadFactory("sigma-built-in-upstream", true),
                transport.transport().implementation().ioHandlerFactory());
        SingleThreadEventLoop loop = (SingleThreadEventLoop) loops.next();
        Server server = new Server(loop);
        loop.scheduleAtFixedRate(
                server.wheel::advance, DeadlineWheel.TICK_NANOS, DeadlineWheel.TICK_NANOS, TimeUnit.NANOSECONDS);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        ChannelFuture binding = new ServerBootstrap()
                .group(loops)
                .channelFactory(transport.serverChannels(address.getAddress()))
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, 4096)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new ServerConnection(server, channel));
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        BuiltInUpstream upstream = new BuiltInUpstream(loops);
        if (!binding.isSuccess()) {
            upstream.close();
            throw new StartException(
                    "built-in upstream: can't listen on " + address.getHostString() + ":" + port + " ("
                            + binding.cause().getMessage() + ")",
                    binding.cause());
        }
        return upstream;
    }

    /** Stops listening and closes all connections. */
    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    }

    /** What its connections have in common. */
    private static final class Server implements HttpServer {
        private final DeadlineWheel wheel = new DeadlineWheel(System::nanoTime);
        private final RelayMemory memory = RelayMemory.unbounded();
        private final HeadWriter writer = new HeadWriter();
        private final LoopClock clock;

        Server(SingleThreadEventLoop loop) {
            this.clock = new LoopClock(loop, System::nanoTime);
        }

        @Override
        public Limits limits() {
            return Limits.DEFAULT;
        }

        @Override
        public Timeouts timeouts() {
            return Timeouts.DEFAULT;
        }

        @Override
        public DeadlineWheel wheel() {
            return wheel;
        }

        @Override
        public RelayMemory memory() {
            return memory;
        }

        @Override
        public boolean mayHoldHead(ServerExchange of) {
            return true;
        }

        @Override
        public boolean mayHoldTrailers(ServerExchange of, Trailers section) {
            return true;
        }

        @Override
        public HeadWriter writer() {
            return writer;
        }

        @Override
        public LoopClock clock() {
            return clock;
        }

        @Override
        public ServerExchange begin(DownstreamConnection connection, ServerStream stream) {
            if (!(connection.attachment() instanceof Exchange kept)) {
                Exchange fresh = new Exchange(stream);
                connection.attach(fresh);
                return fresh;
            }
            kept.head.clear();
            return kept;
        }

        @Override
        public boolean takesHttp2() {
            return false;
        }

        @Override
        public void onPreface(DownstreamConnection connection, ServerExchange unused, ByteBuf received) {
            throw new IllegalStateException("HTTP/2 (expected: none, as it isn't taken)");
        }

        @Override
        public boolean isDraining() {
            return false;
        }

        @Override
        public boolean onOpened(DownstreamConnection connection) {
            return true;
        }

        @Override
        public void onIdleTimeout() {}

        @Override
        public void onBodyLeft() {}

        @Override
        public void onBodyCut() {}

        @Override
        public void onDiscarded(long bytes) {}

        @Override
        public void onThrown(Throwable cause) {
            LOG.debug("a connection to the built-in upstream closed", cause);
        }

        @Override
        public void onClosed(DownstreamConnection connection) {}
    }

    /** The requests of one connection, one after the other. */
    private static final class Exchange implements ServerExchange {
        private final ServerStream stream;
        private final HttpRequestHead head = new HttpRequestHead();
        private final HttpResponseHead response = new HttpResponseHead();
        private final HeadWriter nothingAdded = new HeadWriter();

        Exchange(ServerStream stream) {
            this.stream = stream;
        }

        @Override
        public HttpRequestHead requestHead() {
            return head;
        }

        @Override
        public void onRequest() {
            if (head.expectsContinue()) {
                stream.askForBody();
            }
        }

        @Override
        public void onRequestBody(ByteBuf in, int count) {
            in.skipBytes(count);
        }

        @Override
        public void onRequestEnd() {
            answer(200, JSON, false);
        }

        private void answer(int status, byte[] body, boolean last) {
            response.begin(status, body.length);
            if (body.length > 0) {
                response.add(CONTENT_TYPE);
            }
            stream.head(head, response, nothingAdded, body.length, last);
            if (!head.isHead()) {
                stream.content(body, body.length);
            }
            stream.end(null);
            stream.finish();
        }

        @Override
        public void onRequestPause() {}

        @Override
        public long waitingBytes() {
            return 0;
        }

        @Override
        public void onMemoryShort() {}

        @Override
        public void onRefused(Refusal why) {
            answer(400, NOTHING, true);
        }

        @Override
        public void onRequestFault(Fault fault) {
            stream.abort();
        }

        @Override
        public void onClientGone() {}

        @Override
        public void onClientWritability(boolean writable) {}
    }
}
