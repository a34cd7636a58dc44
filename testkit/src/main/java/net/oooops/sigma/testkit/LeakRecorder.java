package net.oooops.sigma.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Takes the place of Netty's leak detectors, and keeps what they report. */
final class LeakRecorder {
    private static final long COLLECTION_PAUSE_NANOS = 5_000_000;

    private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();
    private static final Queue<Detector<?>> DETECTORS = new ConcurrentLinkedQueue<>();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static boolean installed;

    private LeakRecorder() {}

    /**
     * Installs the detectors, once.
     *
     * @throws IllegalStateException when Netty's buffers already have theirs
     */
    static void install() {
        LOCK.lock();
        try {
            if (!installed) {
                ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
                ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Factory());
                UnpooledByteBufAllocator.DEFAULT.buffer(1).release();
                installed = DETECTORS.stream().anyMatch(detector -> detector.watches(ByteBuf.class));
            }
            if (!installed) {
                throw new IllegalStateException("leak gate: Netty's buffers were used before it was there (expected: "
                        + "junit.jupiter.extensions.autodetection.enabled=true, or on the first class that uses them)");
            }
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Makes the collector find what is unreachable and the detectors report it; returns each report once.
     *
     * @param collections so many: what is found by one may keep others from being found by it
     */
    static List<String> collectAndTake(int collections) {
        for (int i = 0; i < collections; i++) {
            System.gc();
            // References are handed to their queue by a thread of the JVM's own, shortly after the collection.
            LockSupport.parkNanos(COLLECTION_PAUSE_NANOS);
            DETECTORS.forEach(Detector::look);
        }
        List<String> taken = new ArrayList<>();
        for (String report = REPORTS.poll(); report != null; report = REPORTS.poll()) {
            taken.add(report);
        }
        return taken;
    }

    private static final class Factory extends ResourceLeakDetectorFactory {
        @Override
        @SuppressWarnings("deprecation") // abstract in Netty, so it must be here
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                Class<T> resource, int samplingInterval, long maxActive) {
            return newResourceLeakDetector(resource, samplingInterval);
        }

        @Override
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
            var detector = new Detector<>(resource, samplingInterval);
            DETECTORS.add(detector);
            return detector;
        }
    }

    private static final class Detector<T> extends ResourceLeakDetector<T> {
        private final Class<?> resource;

        Detector(Class<T> resource, int samplingInterval) {
            super(resource, samplingInterval);
            this.resource = resource;
        }

        boolean watches(Class<?> type) {
            return resource == type;
        }

        /** A detector reports what was found as it is asked to track something more, whatever that is. */
        @SuppressWarnings("unchecked") // to the detector, a resource is an object and nothing else
        void look() {
            T something = (T) new Object();
            trackForcibly(something).close(something);
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resourceType, String records) {
            REPORTS.add(resourceType + ": " + records);
        }

        @Override
        protected void reportUntracedLeak(String resourceType) {
            REPORTS.add(resourceType + ": not traced");
        }
    }
}
