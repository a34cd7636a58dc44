package net.oooops.sigma.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.memory.ReadTurns;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.testkit.Await;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which connections wait in a turn of the event loop that others have spent, on sockets of each kind. */
class BodyReadingTest {
    private static final int MUCH_BYTES = 300 * 1024;
    /** Less than counts as large by itself. */
    private static final int LITTLE_BYTES = 3000;

    /** What one turn brought, and whether the connection waits from then on. */
    private record Turn(int bytes, boolean waits) {}

    /** Others that have spent the turn. */
    private record Others() implements ReadTurns.Reader {
        @Override
        public int turnBytes() {
            return ReadTurns.BYTES_PER_TURN;
        }

        @Override
        public boolean isFilled() {
            return true;
        }

        @Override
        public void readOn() {}
    }

    /** Reads a body without an end. */
    private static final class Body extends ChannelInboundHandlerAdapter {
        private final RelayMemory memory = RelayMemory.unbounded();
        private final AtomicReference<@Nullable Channel> opened = new AtomicReference<>();
        private final Queue<Turn> turns = new ConcurrentLinkedQueue<>();
        private @Nullable BodyReading reading;
        private int bytes;
        private volatile boolean besideOthers;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            ctx.channel().config().setAutoRead(false);
            ctx.channel().config().setRecvByteBufAllocator(memory.reads());
            reading = new BodyReading(ctx.channel(), memory.turns());
            opened.set(ctx.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (besideOthers && !memory.turns().isSpent()) {
                memory.turns().isOver((SingleThreadEventLoop) ctx.channel().eventLoop(), new Others());
            }
            ByteBuf in = (ByteBuf) message;
            bytes += in.readableBytes();
            reading().came(in.readableBytes());
            in.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            reading().turnEnds(true);
            turns.add(new Turn(bytes, !ctx.channel().config().isAutoRead()));
            bytes = 0;
        }

        private BodyReading reading() {
            if (reading == null) {
                throw new IllegalStateException("not added");
            }
            return reading;
        }

        int allBytes() {
            return turns.stream().mapToInt(Turn::bytes).sum();
        }

        /** On the loop, as each connection's memory is. */
        void readOn(boolean withOthers) {
            besideOthers = withOthers;
            Channel channel = Await.value("a connection", opened::get, there -> there != null);
            channel.eventLoop().execute(() -> channel.config().setAutoRead(true));
        }
    }

    private interface Trial {
        void run(Socket client, Body body) throws Exception;
    }

    private static void on(Transport transport, Trial trial) throws Exception {
        Needed.transport(transport);
        SocketTransport sockets = SocketTransport.choose(transport);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, sockets.transport().implementation().ioHandlerFactory());
        Body body = new Body();
        try {
            Channel listening = new ServerBootstrap()
                    .group(group)
                    .channelFactory(sockets.serverChannels(InetAddress.getLoopbackAddress()))
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(body);
                        }
                    })
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync()
                    .channel();
            InetSocketAddress bound = (InetSocketAddress) listening.localAddress();
            try (Socket client = new Socket(bound.getAddress(), bound.getPort())) {
                trial.run(client, body);
            }
        } finally {
            group.shutdownGracefully(250, 30_000, TimeUnit.MILLISECONDS).awaitUninterruptibly();
        }
    }

    private static void send(Socket client, int bytes) throws Exception {
        client.getOutputStream().write(new byte[bytes]);
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "EPOLL", "NIO"})
    void whoHasMoreWaits(Transport transport) throws Exception {
        on(transport, (client, body) -> {
            send(client, MUCH_BYTES);
            body.readOn(true);
            Await.until("all of it", () -> body.allBytes() == MUCH_BYTES);
            Turn first = body.turns.element();
            // Little by itself: it waits as it is more than the turn has room for.
            assertThat(first.bytes()).isLessThan(ReadTurns.BYTES_MIN);
            assertThat(first.waits()).isTrue();
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"IO_URING", "EPOLL", "NIO"})
    void whoHasNothingMoreDoesNotWait(Transport transport) throws Exception {
        on(transport, (client, body) -> {
            body.readOn(false);
            // So that more than a little is read at once.
            send(client, MUCH_BYTES);
            Await.until("all of it", () -> body.allBytes() == MUCH_BYTES);
            body.besideOthers = true;
            body.turns.clear();
            send(client, LITTLE_BYTES);
            Await.until("a little", () -> !body.turns.isEmpty());
            assertThat(body.turns).containsExactly(new Turn(LITTLE_BYTES, false));
        });
    }
}
