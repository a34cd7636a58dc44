package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of questions that are lost, or that a name server doesn't answer: one of two, or the only one. */
class DeadNameServerTest {
    private static final String NAME = "a.sigma.test";
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final EventLoop worker = group.next();
    private final NameServer first = NameServer.start();
    private final NameServer second = NameServer.start();
    private final NameOutages outages = new NameOutages();
    private final LastAnswers answers = new LastAnswers(Set::of);
    private final NameAsker asker = asker(TIMEOUT_NANOS, first, second);

    private NameAsker asker(long timeoutNanos, NameServer... servers) {
        SequentialDnsServerAddressStreamProvider written = new SequentialDnsServerAddressStreamProvider(
                List.of(servers).stream().map(NameServer::address).toList());
        return new NameAsker(
                group.next(),
                NameResolution.Sockets.NIO,
                new NameResolution.Settings(timeoutNanos, 1, 300, TIMEOUT_NANOS, written),
                outages,
                answers);
    }

    @AfterEach
    void end() throws Exception {
        asker.close();
        first.close();
        second.close();
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    private HostAddresses use(NameAsker by, String name) {
        NameResolution names = new NameResolution(worker, by);
        return worker.submit(() -> new HostAddresses(names, name))
                .syncUninterruptibly()
                .getNow();
    }

    private CompletableFuture<List<InetAddress>> ask(HostAddresses addresses) {
        CompletableFuture<List<InetAddress>> answer = new CompletableFuture<>();
        worker.execute(() -> addresses.ask(new HostAddresses.Asker() {
            @Override
            public void onAddresses(List<InetAddress> all) {
                answer.complete(all);
            }

            @Override
            public void onUnresolved(Throwable cause) {
                answer.completeExceptionally(cause);
            }
        }));
        return answer.orTimeout(30, TimeUnit.SECONDS);
    }

    private static boolean failed(CompletableFuture<?> asked) {
        return asked.handle((_, failure) -> failure != null).join();
    }

    private static long nanosOf(Runnable what) {
        long from = System.nanoTime();
        what.run();
        return System.nanoTime() - from;
    }

    @Test
    void theNextOneIsAskedSoonAndOnlyItFromThenOn() {
        first.silence();
        for (int i = 0; i < 20; i++) {
            second.answer(i + NAME, 60, "127.0.0.1");
        }
        assertThat(nanosOf(() -> ask(use(asker, 0 + NAME)).join())).isLessThan(TIMEOUT_NANOS);
        int asked = first.questions();
        for (int i = 1; i < 20; i++) {
            assertThat(ask(use(asker, i + NAME)).join()).hasSize(1);
        }
        assertThat(first.questions()).as("of the dead one").isEqualTo(asked);
        assertThat(outages.failureCount()).isZero();
    }

    @Test
    void recordsComeFromTheOneThatAnswers() {
        first.silence();
        second.srv(NAME, 60, "node.sigma.test", 80);
        Promise<NameResolution.SrvAnswer> answer = worker.newPromise();
        long took = nanosOf(() -> {
            asker.srv(NAME, answer);
            answer.awaitUninterruptibly();
        });
        assertThat(answer.getNow().records()).hasSize(1);
        assertThat(took).isLessThan(TIMEOUT_NANOS);
    }

    /** Each try has the questions for both families. */
    @Test
    void whatIsLostIsAskedOnceMore() {
        NameAsker ofOne = asker(TIMEOUT_NANOS, first);
        first.answer(NAME, 60, "127.0.0.1");
        first.lose(4);
        assertThat(nanosOf(() -> ask(use(ofOne, NAME)).join())).isLessThan(TIMEOUT_NANOS);
        assertThat(first.questions(NAME)).isEqualTo(3);
        assertThat(outages.failureCount()).isZero();
        ofOne.close();
    }

    @Test
    void anAnswerThatThereIsNoneNeedsNoOtherTry() {
        NameAsker ofOne = asker(15 * TIMEOUT_NANOS, first);
        assertThat(failed(ask(use(ofOne, NAME)))).isTrue();
        assertThat(first.questions(NAME)).isEqualTo(1);
        ofOne.close();
    }

    @Test
    void whoAsksForOneThatHangsIsToldSoAndItIsAskedForByItself() {
        first.silence();
        second.silence();
        NameAsker impatient = asker(TIMEOUT_NANOS / 4, first, second);
        HostAddresses addresses = use(impatient, NAME);
        assertThat(failed(ask(addresses))).isTrue();
        long took = nanosOf(() -> {
            for (int i = 0; i < 20; i++) {
                assertThat(failed(ask(addresses))).isTrue();
            }
        });
        assertThat(took).as("each waited for was a timeout").isLessThan(20 * (TIMEOUT_NANOS / 4) / 2);
        first.answer(NAME, 60, "127.0.0.1");
        first.speak();
        Await.until(
                "known",
                () -> !worker.submit(addresses::known)
                        .syncUninterruptibly()
                        .getNow()
                        .isEmpty());
        assertThat(ask(addresses).join()).hasSize(1);
        assertThat(outages.failingCount()).isZero();
        impatient.close();
    }
}
