package net.oooops.sigma.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Small answers leave at once, whoever made the socket that a connection came by, and however it is driven. */
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class AcceptedNoDelayTest {
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final ChannelHandler noting = new ChannelInitializer<>() {
        @Override
        protected void initChannel(Channel channel) {
            accepted.add(channel);
        }
    };
    private EventLoopGroup group;

    @AfterEach
    void stop() {
        if (group != null) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    private Binding binding(Transport wish) {
        Needed.transport(wish);
        SocketTransport transport = SocketTransport.choose(wish);
        group = new MultiThreadIoEventLoopGroup(
                1, transport.transport().implementation().ioHandlerFactory());
        return new Binding(transport, new SocketOptions(RuntimeConfig.DEFAULT));
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"EPOLL", "IO_URING", "NIO"})
    void whatComesByASocketOfItsOwn(Transport wish) throws Exception {
        Binding binding = binding(wish);
        assertNoDelay(binding.bindOwn(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), group.next(), noting, cause -> {}));
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"EPOLL", "IO_URING"})
    void whatComesByOneThatWasPassed(Transport wish) throws Exception {
        Needed.transport(Transport.EPOLL);
        Binding binding = binding(wish);
        PassedSocket passed = PassedSocket.of("a", RawDescriptors.tcp("127.0.0.1", 0, false));
        EventLoop loop = group.next();
        assertNoDelay(binding.adopt(passed, loop, loop, noting, cause -> {}));
    }

    /** It is connected since its handshake, for the kernel: it has nothing of what is said to the socket that listens from then on. */
    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"EPOLL", "IO_URING"})
    void whatHasWaitedInOneThatWasPassed(Transport wish) throws Exception {
        Needed.transport(Transport.EPOLL);
        Binding binding = binding(wish);
        PassedSocket passed = PassedSocket.of("a", RawDescriptors.tcp("127.0.0.1", 0, false));
        EventLoop loop = group.next();
        try (Socket _ =
                new Socket(InetAddress.getLoopbackAddress(), passed.local().getPort())) {
            ChannelFuture adopted = binding.adopt(passed, loop, loop, noting, cause -> {});
            Binding.accept(adopted.syncUninterruptibly().channel(), true).syncUninterruptibly();
            assertAcceptedNoDelay();
        }
    }

    private void assertNoDelay(ChannelFuture bound) throws Exception {
        Channel listening = bound.syncUninterruptibly().channel();
        Binding.accept(listening, true).syncUninterruptibly();
        int port = ((InetSocketAddress) listening.localAddress()).getPort();
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            assertAcceptedNoDelay();
        }
    }

    private void assertAcceptedNoDelay() throws InterruptedException {
        Channel channel = accepted.poll(20, TimeUnit.SECONDS);
        assertThat(channel).isNotNull();
        assertThat(channel.config().getOption(ChannelOption.TCP_NODELAY)).isTrue();
    }
}
