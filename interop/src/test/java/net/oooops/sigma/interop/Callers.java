package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.testkit.Await;
import org.jspecify.annotations.Nullable;

/** Many callers at once, each of which calls again as soon as its call has ended, with another text every time. */
final class Callers implements AutoCloseable {
    private static final Duration WAIT_MAX = Duration.ofSeconds(60);

    /** Callers who fail wait a little, or they would take the machine for themselves. */
    private static final long BACK_OFF_NANOS = 5_000_000;

    private final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();
    private final Call call;
    private volatile boolean stopping;

    /** One call: returns its answer or throws. */
    interface Call {
        Object of(String text) throws Exception;
    }

    /** How one call ended: with an answer or a failure, never with both. */
    record Outcome(
            String text, @Nullable Object answer, @Nullable Exception failure, long millis) {}

    private Callers(Call call) {
        this.call = call;
    }

    /** Starts them. */
    static Callers start(int count, Call call) {
        Callers callers = new Callers(call);
        for (int i = 0; i < count; i++) {
            String name = "caller-" + i;
            callers.threads.add(Thread.ofVirtual().name(name).start(() -> callers.callAgainAndAgain(name)));
        }
        return callers;
    }

    private void callAgainAndAgain(String name) {
        for (int i = 0; !stopping; i++) {
            Outcome outcome = called(name + "-" + i);
            outcomes.add(outcome);
            if (outcome.failure() == null) {
                answered.incrementAndGet();
            } else {
                LockSupport.parkNanos(BACK_OFF_NANOS);
            }
        }
    }

    private Outcome called(String text) {
        long began = System.nanoTime();
        Object answer = null;
        Exception failure = null;
        try {
            answer = call.of(text);
        } catch (Exception e) {
            failure = e;
        }
        return new Outcome(
                text,
                answer,
                failure,
                Duration.ofNanos(System.nanoTime() - began).toMillis());
    }

    /** Waits until so many more calls have been answered. */
    void awaitAnswers(int more) {
        int before = answered.get();
        Await.value("calls answered", WAIT_MAX, answered::get, count -> count >= before + more);
    }

    /** Lets each finish its call, and returns how all calls ended. Fails where one doesn't end. */
    List<Outcome> finish() throws InterruptedException {
        stopping = true;
        for (Thread thread : threads) {
            assertThat(thread.join(WAIT_MAX))
                    .as(thread.getName() + " has ended")
                    .isTrue();
        }
        return List.copyOf(outcomes);
    }

    @Override
    public void close() {
        stopping = true;
        threads.forEach(Thread::interrupt);
    }
}
