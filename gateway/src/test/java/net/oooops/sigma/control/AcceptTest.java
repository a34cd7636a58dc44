package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.runtime.Flow;
import net.oooops.sigma.runtime.Flows;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.ListenerFlow;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.LoopParts;
import net.oooops.sigma.runtime.Road;
import net.oooops.sigma.runtime.UpstreamGroups;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.NodeRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gets what is accepted. */
class AcceptTest {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    private final WorkerCounters counters = new WorkerCounters(RefusalNames.NONE);
    private final AtomicInteger taken = new AtomicInteger();
    private final Listener listener =
            new UdpListenerConfig("s", "", "127.0.0.1", 1, "p", List.of(), 1, LIMIT_NANOS, Timeouts.DEFAULT);
    private boolean broken;
    private int generation = 1;

    /** Takes connections, and follows nothing: each configuration needs another one. */
    private final class Taking implements Flow, ListenerFlow<Listener> {
        private Taking() {
            if (broken) {
                throw new IllegalStateException("broken");
            }
        }

        @Override
        public void accept(Channel channel) {
            taken.incrementAndGet();
            channel.close();
        }

        @Override
        public Listener listener() {
            return listener;
        }

        @Override
        public boolean canFollow(Listener plan) {
            return false;
        }

        @Override
        public void follow(Listener plan) {
            throw new AssertionError("follows");
        }

        @Override
        public void drain() {}

        @Override
        public void resume() {}

        @Override
        public void cut() {}

        @Override
        public int connectionCount() {
            return 0;
        }
    }

    /** A road of nothing else. */
    private final class Lone implements Road {
        private final Flows<Taking, Listener> flows;
        private final UpstreamGroups<WorkerNode> upstreams;

        private Lone(LoopContext context) {
            flows = new Flows<>(context, plan -> new Taking(), plan -> plan);
            upstreams = new UpstreamGroups<>(context, List.of(), (place, node) -> {
                throw new AssertionError("a node");
            });
            flows.follow(List.of(listener));
        }

        @Override
        public Flows<Taking, Listener> flows() {
            return flows;
        }

        @Override
        public UpstreamGroups<WorkerNode> upstreams() {
            return upstreams;
        }

        @Override
        public int connectionCount() {
            return 0;
        }
    }

    private final List<Lone> roads = new ArrayList<>();
    private final Worker worker = worker();
    private final Accept accept = new Accept(List.of(worker), listener, new Bound(10));

    private Worker worker() {
        LoopContext.Parts parts = LoopParts.of(loop, new NodeRegistry(), counters, new Generation(1, 1, () -> {}));
        return new Worker(parts, context -> {
            roads.add(new Lone(context));
            return List.copyOf(roads);
        });
    }

    @AfterEach
    void end() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private void onLoop(Runnable what) {
        CompletableFuture.runAsync(what, loop).join();
    }

    private void lead() {
        onLoop(() -> accept.lead(worker, listener));
    }

    private void follow() {
        Generation next = new Generation(++generation, 1, () -> {});
        onLoop(() -> worker.follow(
                next, ClientConfig.DEFAULT, () -> roads.getFirst().flows.follow(List.of(listener))));
    }

    private static void expectReset(int port) throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            client.expectReset();
        } catch (SocketException e) {
            // It was reset before the client saw that it was connected.
            assertThat(e).hasMessageContaining("reset");
        }
    }

    private static void expectEnd(int port) throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            assertThat(client.readUntilClose()).isEmpty();
        }
    }

    /** Whoever is there still may ask less of them: those of the new configuration get nothing by the one before. */
    @Test
    void whereNothingCouldBeMadeOfTheNextConfigurationConnectionsAreReset() throws Exception {
        lead();
        Channel listening = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childHandler(accept)
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        int port = ((InetSocketAddress) listening.localAddress()).getPort();
        expectEnd(port);

        broken = true;
        follow();
        assertThatThrownBy(this::lead).hasMessageContaining("proxy-server \"s\" couldn't be made");
        expectReset(port);
        assertThat(taken).hasValue(1);
        assertThat(new CountersView(List.of(counters)).snapshot().count(Counter.DOWNSTREAM_CONNECTIONS_REFUSED))
                .isEqualTo(1);

        broken = false;
        follow();
        lead();
        expectEnd(port);
        assertThat(taken).hasValue(2);
    }
}
