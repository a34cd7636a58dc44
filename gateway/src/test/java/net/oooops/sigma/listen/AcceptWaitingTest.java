package net.oooops.sigma.listen;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two event loops wait at one socket, as two processes do at an upgrade. */
@Timeout(60)
class AcceptWaitingTest {
    private final AtomicInteger accepted = new AtomicInteger();
    private final List<EventLoopGroup> groups = new ArrayList<>();
    private int descriptor;

    @BeforeEach
    void listen() throws IOException {
        Needed.transport(Transport.EPOLL);
        descriptor = RawDescriptors.tcp("127.0.0.1", 0, false);
    }

    @AfterEach
    void close() {
        groups.forEach(each -> each.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly());
        RawDescriptors.close(descriptor);
    }

    private Channel waiting(Transport transport) throws IOException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, transport == Transport.EPOLL ? EpollIoHandler.newFactory() : IoUringIoHandler.newFactory());
        groups.add(group);
        ChannelHandler count = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                accepted.incrementAndGet();
                channel.close();
            }
        };
        EventLoop loop = group.next();
        Channel listening = new Binding(SocketTransport.choose(transport), new SocketOptions(RuntimeConfig.DEFAULT))
                .adopt(PassedSocket.of("a", RawDescriptors.same(descriptor)), loop, loop, count, cause -> {})
                .syncUninterruptibly()
                .channel();
        Binding.accept(listening, true).syncUninterruptibly();
        return listening;
    }

    /** Both are told of it: the one that has waited first is busy, and then leaves all to the other one. */
    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"EPOLL", "IO_URING"})
    void whatTheOneIsToldOfAndLeavesTheOtherAccepts(Transport transport) throws Exception {
        Needed.transport(transport);
        Channel first = waiting(transport);
        waiting(transport);
        Gate busy = new Gate();
        first.eventLoop().execute(() -> pass(busy));
        Await.until("busy", () -> busy.waiting() == 1);
        Future<?> left = Binding.accept(first, false);
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), RawDescriptors.port(descriptor))) {
            busy.release();
            left.syncUninterruptibly();
            Await.until("accepted", () -> accepted.get() == 1);
        }
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), RawDescriptors.port(descriptor))) {
            Await.until("accepted", () -> accepted.get() == 2);
        }
    }

    private static void pass(Gate gate) {
        try {
            gate.pass();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
