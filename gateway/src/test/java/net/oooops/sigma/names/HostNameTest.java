package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HostNameTest {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final NameServer server = NameServer.start();
    private final MultiThreadIoEventLoopGroup own = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Tight tight = new Tight();
    private final DefaultEventLoop other = new DefaultEventLoop();
    private final NameAsker asker = new NameAsker(
            own.next(),
            NameResolution.Sockets.NIO,
            new NameResolution.Settings(
                    TIMEOUT_NANOS,
                    1,
                    300,
                    TIMEOUT_NANOS,
                    new SingletonDnsServerAddressStreamProvider(server.address())),
            new NameOutages(),
            new LastAnswers(Set::of));

    /** An event loop that takes no task, once. */
    private static final class Tight extends DefaultEventLoop {
        private boolean had;

        @Override
        public void execute(Runnable task) {
            if (!had) {
                had = true;
                throw new OutOfMemoryError("no task");
            }
            super.execute(task);
        }
    }

    @AfterEach
    void end() throws Exception {
        asker.close();
        server.close();
        own.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        tight.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        other.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    @Test
    void allAreToldThoughOneCanNotBeAtOnce() throws Exception {
        server.answer("a.sigma.test", 60, "127.0.0.1");
        HostName host = asker.use("a.sigma.test");
        CompletableFuture<Void> late = new CompletableFuture<>();
        CompletableFuture<Void> soon = new CompletableFuture<>();
        own.submit(() -> {
                    // Both wait for the same answer.
                    host.ask(tight, () -> late.complete(null));
                    host.ask(other, () -> soon.complete(null));
                })
                .sync();
        soon.get(10, TimeUnit.SECONDS);
        late.get(10, TimeUnit.SECONDS);
        assertThat(host.answer().known().all()).hasSize(1);
    }
}
