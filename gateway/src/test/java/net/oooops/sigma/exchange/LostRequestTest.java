package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.HedgeConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A connection whose other end vanished without a word, of a node that answers on others. */
@EnabledOnOs(OS.LINUX)
class LostRequestTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    /** Answers each request; what comes on its connections can be made to vanish. */
    @Sharable
    private static final class Node extends ChannelInboundHandlerAdapter implements AutoCloseable {
        private static final byte[] ANSWER =
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst".getBytes(StandardCharsets.US_ASCII);
        private static final int SOL_SOCKET = 1;
        private static final int SO_ATTACH_FILTER = 26;
        private static final int PROGRAM_BYTES = 16;
        private static final RawUnixChannelOption FILTER =
                new RawUnixChannelOption("SO_ATTACH_FILTER", SOL_SOCKET, SO_ATTACH_FILTER, PROGRAM_BYTES);

        private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        private final List<Channel> channels = new CopyOnWriteArrayList<>();
        private final Channel server = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .childHandler(this)
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();

        int port() {
            return ((InetSocketAddress) server.localAddress()).getPort();
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            channels.add(ctx.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            ByteBuf answer = Unpooled.wrappedBuffer(ANSWER);
            ctx.writeAndFlush(answer, ctx.voidPromise());
        }

        /** The system drops whatever comes for the connections that there are, and acknowledges none of it. */
        void vanish() {
            try (Arena arena = Arena.ofConfined()) {
                // BPF_RET with 0: nothing of a packet is kept.
                MemorySegment dropAll = arena.allocate(8, 8);
                dropAll.set(ValueLayout.JAVA_SHORT, 0, (short) 6);
                for (Channel channel : channels) {
                    ByteBuffer program =
                            ByteBuffer.allocateDirect(PROGRAM_BYTES).order(ByteOrder.nativeOrder());
                    program.putShort(0, (short) 1).putLong(8, dropAll.address());
                    channel.config().setOption(FILTER, program);
                }
            }
        }

        @Override
        public void close() {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static boolean hasGot(ScriptedUpstream node, String target) {
        return node.requests().stream().anyMatch(request -> request.target().equals(target));
    }

    @Test
    void aRequestThatDoesNotArriveIsntWaitedForThoughItsNodeAnswersOthers() throws IOException {
        try (Node first = new Node();
                ScriptedUpstream second = ScriptedUpstream.start(request -> Answer.ok("second"));
                GatewayFixture gateway = GatewayFixture.toPorts()
                        .node("127.0.0.1", first.port(), 1000)
                        .node("127.0.0.1", second.port(), 1)
                        .strategy(RuleStrategy.ROUND_ROBIN)
                        .passive("silenceNanos", 0)
                        .retry("hedge", HedgeConfig.DEFAULT)
                        .retry("tryNanos", LIMIT)
                        .start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("first");
            first.vanish();
            client.send(Ask.get("/lost"));
            long since = System.nanoTime();
            while (!hasGot(second, "/lost") && System.nanoTime() - since < 3 * LIMIT.toNanos()) {
                assertThat(other.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            }
            assertThat(hasGot(second, "/lost")).as("the first answers others").isTrue();
            assertThat(client.readResponse().bodyText()).isEqualTo("second");
        }
    }
}
