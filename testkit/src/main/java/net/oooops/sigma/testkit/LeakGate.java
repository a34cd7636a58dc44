package net.oooops.sigma.testkit;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit 5 extension that fails a test class when Netty's leak detection finds that a buffer, or anything else with a reference
 * count, was collected without having been released; and fails the whole run for what turns up only at its end.
 *
 * <p>Either on a class, {@code @ExtendWith(LeakGate.class)}, or for all of them: it is registered for detection, which
 * {@code junit.jupiter.extensions.autodetection.enabled=true} in {@code junit-platform.properties} switches on. Detection is set to
 * PARANOID.
 *
 * <p>It has to come before Netty's buffers are used for the first time in the JVM, as Netty asks for its leak detectors only then; where
 * it comes later, it says so and fails. Where classes run at the same time, or end soon after one another, a leak may be reported at
 * another one than made it; the report names where the buffer was allocated and last touched.
 */
public final class LeakGate implements BeforeAllCallback, AfterAllCallback {
    /**
     * Each stops all tests for as long as the heap takes, a quarter of a second where much has been loaded: what takes more to be found is, at the
     * end of the run at the latest.
     */
    private static final int COLLECTIONS_OF_CLASS = 1;

    private static final long BETWEEN_CLASSES_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int COLLECTIONS = 3;

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LeakGate.class);

    /** For JUnit; installs the leak detection. */
    public LeakGate() {
        LeakRecorder.install();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        run(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (run(context).isDue(System.nanoTime())) {
            verify(COLLECTIONS_OF_CLASS);
        }
    }

    private static Run run(ExtensionContext context) {
        return context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent(Run.class, key -> new Run(), Run.class);
    }

    /**
     * Collects garbage, and fails when anything has leaked since the last look. What was reported is not reported again.
     *
     * @throws AssertionError with all reports
     */
    public static void verifyNoLeaks() {
        verify(COLLECTIONS);
    }

    private static void verify(int collections) {
        List<String> leaks = LeakRecorder.collectAndTake(collections);
        if (!leaks.isEmpty()) {
            throw new AssertionError("leaks: " + leaks.size() + " (expected: 0)\n" + String.join("\n----\n", leaks));
        }
    }

    /** One of all classes. Closed by JUnit with its root store, after them. */
    private static final class Run implements AutoCloseable {
        private final AtomicLong dueNanos = new AtomicLong(System.nanoTime());

        /** Whether the last class that was looked at ended long enough ago; the next one is due later then. */
        boolean isDue(long nowNanos) {
            long due = dueNanos.get();
            return nowNanos - due >= 0 && dueNanos.compareAndSet(due, nowNanos + BETWEEN_CLASSES_NANOS);
        }

        @Override
        public void close() {
            verifyNoLeaks();
        }
    }
}
