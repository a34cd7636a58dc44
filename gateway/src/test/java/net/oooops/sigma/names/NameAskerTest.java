package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One asks for all: four event loops, as of four Workers, and a name server on the loopback. */
class NameAskerTest {
    private static final int WORKERS = 4;
    private static final List<String> NAMES = List.of("a.sigma.test", "b.sigma.test", "a");
    /** On a busy machine, too, nothing is asked for once more in a quarter of it. */
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long STALL_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(20);

    private final MultiThreadIoEventLoopGroup workers =
            new MultiThreadIoEventLoopGroup(WORKERS, NioIoHandler.newFactory());
    private final MultiThreadIoEventLoopGroup own = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final NameServer server = NameServer.start();
    private final NameOutages outages = new NameOutages();
    private final LastAnswers answers = new LastAnswers(() -> Set.copyOf(NAMES));
    private final NameAsker asker =
            new NameAsker(own.next(), NameResolution.Sockets.NIO, settings(server, TIMEOUT_NANOS), outages, answers);

    private static NameResolution.Settings settings(NameServer server, long timeoutNanos) {
        return new NameResolution.Settings(
                timeoutNanos,
                1,
                300,
                TimeUnit.MINUTES.toNanos(1),
                new SingletonDnsServerAddressStreamProvider(server.address()));
    }

    @AfterEach
    void end() throws Exception {
        asker.close();
        server.close();
        own.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        workers.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    /** A name on one event loop. */
    private record Use(EventLoop loop, HostAddresses addresses) {
        private CompletableFuture<List<InetAddress>> ask() {
            CompletableFuture<List<InetAddress>> answer = new CompletableFuture<>();
            loop.execute(() -> addresses.ask(new HostAddresses.Asker() {
                @Override
                public void onAddresses(List<InetAddress> addresses) {
                    answer.complete(addresses);
                }

                @Override
                public void onUnresolved(Throwable cause) {
                    answer.completeExceptionally(cause);
                }
            }));
            return answer.orTimeout(10, TimeUnit.SECONDS);
        }

        private void close() {
            loop.submit(addresses::close).syncUninterruptibly();
        }
    }

    private Use use(EventLoop loop, String name) {
        NameResolution names = new NameResolution(loop, asker);
        return new Use(
                loop,
                loop.submit(() -> new HostAddresses(names, name))
                        .syncUninterruptibly()
                        .getNow());
    }

    private List<Use> onAll(String name) {
        List<Use> all = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            all.add(use(workers.next(), name));
        }
        return all;
    }

    private static void askAll(List<Use> uses) {
        List<CompletableFuture<List<InetAddress>>> asked =
                uses.stream().map(Use::ask).toList();
        asked.forEach(each -> assertThat(each.join()).isNotEmpty());
    }

    @Test
    void allAreAnsweredByOneQuestion() {
        List<Use> uses = new ArrayList<>();
        for (String name : NAMES) {
            server.answer(name, 60, "127.0.0.1", "127.0.0.2");
            uses.addAll(onAll(name));
        }
        for (int i = 0; i < 10; i++) {
            askAll(uses);
        }
        assertThat(NAMES)
                .allSatisfy(name -> assertThat(server.questions(name)).as(name).isEqualTo(1));
        Set<List<InetAddress>> lists = new HashSet<>();
        uses.subList(0, WORKERS).forEach(use -> lists.add(use.ask().join()));
        assertThat(lists).hasSize(1);
    }

    /** A TTL or more lies between two questions, however long one is held up. */
    @Test
    void itIsAskedAgainOnceForEachTtl() {
        server.answer("a.sigma.test", 1, "127.0.0.1");
        List<Use> uses = onAll("a.sigma.test");
        long from = System.nanoTime();
        Await.until("three", () -> {
            askAll(uses);
            return server.questions("a.sigma.test") >= 3;
        });
        int ttls = server.questions("a.sigma.test") - 1;
        assertThat(System.nanoTime() - from).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(ttls));
    }

    @Test
    void thoseWhoWaitForADeadNameServerFailTogetherAndAreToldOfOneOutage() {
        server.silence();
        asker.follow(settings(server, SHORT_NANOS));
        List<Use> uses = onAll("a.sigma.test");
        List<CompletableFuture<List<InetAddress>>> asked =
                uses.stream().map(Use::ask).toList();
        asked.forEach(each ->
                assertThat(each.handle((all, failure) -> failure).join()).isNotNull());
        assertThat(server.questions("a.sigma.test")).isEqualTo(ServerOrder.TRIES);
        assertThat(outages.failureCount()).isEqualTo(1);
        assertThat(outages.failingCount()).isEqualTo(1);

        server.answer("a.sigma.test", 60, "127.0.0.1");
        server.speak();
        Await.until("asked again by itself", () -> outages.failingCount() == 0);
        askAll(uses);
    }

    /** Some name servers drop questions for IPv6 addresses. */
    @Test
    void oneFamilyDoesNotWaitLongForTheOther() {
        server.silenceOfIpv6();
        asker.follow(settings(server, SHORT_NANOS));
        server.answer("a.sigma.test", 1, "127.0.0.1");
        Use use = use(workers.next(), "a.sigma.test");
        long from = System.nanoTime();
        assertThat(use.ask().join()).hasSize(1);
        assertThat(System.nanoTime() - from).isLessThan(SHORT_NANOS);
        // The whole question is over by then.
        Await.until("again", () -> {
            assertThat(use.ask().join()).hasSize(1);
            return server.questions("a.sigma.test") >= 3;
        });
        assertThat(outages.failureCount()).isZero();
    }

    @Test
    void thousandsOfAddressesCostWorkersLittle() {
        String[] many = IntStream.range(0, 2000)
                .mapToObj(i -> "127.1." + (i >> 8) + "." + (i & 255))
                .toArray(String[]::new);
        server.answer("a.sigma.test", 60, many);
        server.answer("b.sigma.test", 60, "127.0.0.1");
        // What is done for the first time is another matter.
        Use use = use(workers.next(), "b.sigma.test");
        use.ask().join();
        Use other = use(use.loop(), "a.sigma.test");
        long before = cpuNanos(use.loop());
        assertThat(other.ask().join()).hasSize(2000);
        assertThat(cpuNanos(use.loop()) - before).isLessThan(STALL_NANOS_MAX);
    }

    private static long cpuNanos(EventLoop loop) {
        return loop.submit(() -> ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime())
                .syncUninterruptibly()
                .getNow();
    }

    @Test
    void otherNameServersAreAskedFromThenOn() {
        server.answer("a.sigma.test", 60, "127.0.0.1");
        askAll(onAll("a.sigma.test"));
        try (NameServer other = NameServer.start()) {
            other.answer("b.sigma.test", 60, "127.0.0.2");
            asker.follow(settings(other, TIMEOUT_NANOS));
            askAll(onAll("b.sigma.test"));
            assertThat(other.questions()).isEqualTo(1);
            assertThat(server.questions("b.sigma.test")).isZero();
        }
    }

    @Test
    void nothingIsLeftOfNamesThatNobodyUses() {
        server.answer("a.sigma.test", 1, "127.0.0.1");
        List<Use> uses = onAll("a.sigma.test");
        askAll(uses);
        assertThat(asker.usedCount()).isEqualTo(1);
        server.fail(2);
        Await.until("failing", () -> {
            askAll(uses);
            return outages.failingCount() == 1;
        });
        uses.subList(1, WORKERS).forEach(Use::close);
        assertThat(outages.failingCount()).isEqualTo(1);
        uses.getFirst().close();
        uses.getFirst().close();
        assertThat(asker.usedCount()).isZero();
        assertThat(outages.failingCount()).isZero();
    }

    /** No question is under way for ever for having come to nothing as it began. */
    @Test
    void ofWhatCanNotEvenBeAskedForThereIsNoAnswer() {
        String tooLong = "a".repeat(64) + ".sigma.test";
        Use use = use(workers.next(), tooLong);
        for (int i = 0; i < 2; i++) {
            assertThat(srv(tooLong).handle((all, failure) -> failure).join())
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(use.ask().handle((all, failure) -> failure).join())
                    .isNotNull()
                    .isNotInstanceOf(TimeoutException.class);
        }
        assertThat(server.questions()).isZero();
    }

    private CompletableFuture<NameResolution.SrvAnswer> srv(String name) {
        Promise<NameResolution.SrvAnswer> answer = workers.next().newPromise();
        asker.srv(name, answer);
        CompletableFuture<NameResolution.SrvAnswer> answered = new CompletableFuture<>();
        answer.addListener((Future<NameResolution.SrvAnswer> done) -> {
            if (done.isSuccess()) {
                answered.complete(done.getNow());
            } else {
                answered.completeExceptionally(done.cause());
            }
        });
        return answered.orTimeout(10, TimeUnit.SECONDS);
    }

    @Test
    void whoAsksOneThatIsClosedIsAnswered() {
        Use use = use(workers.next(), "a.sigma.test");
        asker.close();
        assertThat(use.ask().handle((all, failure) -> failure).join())
                .isInstanceOf(java.net.UnknownHostException.class);
        own.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        assertThat(use.ask().handle((all, failure) -> failure).join())
                .isInstanceOf(java.net.UnknownHostException.class);
        assertThat(server.questions()).isZero();
    }
}
