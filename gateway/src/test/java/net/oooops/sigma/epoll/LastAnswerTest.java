package net.oooops.sigma.epoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that asks once sees the answer and the end of its connection in one packet. */
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class LastAnswerTest {
    // Of Linux.
    private static final RawUnixChannelOption STATE_OF_TCP = new RawUnixChannelOption("TCP_INFO", 6, 11, 148);
    private static final int CLOSE_WAIT = 8;
    private static final int AT_UNACKNOWLEDGED = 24;
    private static final int AT_SEGMENTS_IN = 140;

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        Needed.transport(Transport.EPOLL);
        group = new MultiThreadIoEventLoopGroup(1, new SteadyEpoll().ioHandlerFactory());
    }

    @AfterEach
    void stop() {
        if (group != null) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab"
            })
    void isOnePacketWithTheEnd(String request) throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(asked -> {
                    gate.pass();
                    return Answer.ok("ok");
                });
                GatewayFixture gateway =
                        GatewayFixture.to(upstream).transport(Transport.EPOLL).start()) {
            Channel client = new Bootstrap()
                    .group(group)
                    .channelFactory(LeanSocketChannel::new)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(InetAddress.getLoopbackAddress(), gateway.port())
                    .syncUninterruptibly()
                    .channel();
            client.writeAndFlush(Unpooled.copiedBuffer(request, StandardCharsets.US_ASCII))
                    .syncUninterruptibly();
            Await.until("asked", () -> gate.waiting() == 1);
            Await.until("acknowledged", () -> told(client).getInt(AT_UNACKNOWLEDGED) == 0);
            int before = told(client).getInt(AT_SEGMENTS_IN);
            gate.release();
            Await.until("ended", () -> told(client).get(0) == CLOSE_WAIT);
            assertThat(told(client).getInt(AT_SEGMENTS_IN)).isEqualTo(before + 1);
            client.close().syncUninterruptibly();
        }
    }

    private static ByteBuffer told(Channel channel) {
        return channel.config().getOption(STATE_OF_TCP).order(ByteOrder.nativeOrder());
    }
}
