package net.oooops.sigma.interop;

import com.alipay.remoting.InvokeCallback;
import com.alipay.remoting.exception.RemotingException;
import com.alipay.remoting.rpc.RpcClient;
import com.alipay.remoting.rpc.exception.InvokeTimeoutException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;
import org.jspecify.annotations.Nullable;

/**
 * A load of SOFABolt's own client: callers, each of whom sends a text of its own and calls again as soon as it is answered, pipelined over a few
 * connections. Answers that are not the caller's own text are counted.
 */
final class BoltLoad {
    private static final int TIMEOUT_MILLIS = 2_000;
    private static final long LATENCY_MICROS_MAX = TimeUnit.SECONDS.toMicros(60);
    private static final int DIGITS = 3;

    /** How long callers whose call failed at once wait before the next, so that a dead proxy is not asked a million times. */
    private static final long BACK_OFF_MILLIS = 10;

    private final RpcClient client = new RpcClient();
    private final AtomicHistogram micros = new AtomicHistogram(LATENCY_MICROS_MAX, DIGITS);
    private final LongAdder wrong = new LongAdder();
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final AtomicInteger calling = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final String address;
    private final long endNanos;

    private BoltLoad(int port, int connections, long seconds) {
        this.address = "127.0.0.1:" + port + "?_CONNECTIONNUM=" + connections + "&_CONNECTIONWARMUP=true";
        this.endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /**
     * Runs one load to its end.
     *
     * @param payloadBytes length of each caller's text
     * @return what came of it, as JSON on one line
     */
    static String run(int port, int connections, int callers, int payloadBytes, long seconds)
            throws InterruptedException {
        return new BoltLoad(port, connections, seconds).run(callers, payloadBytes);
    }

    private String run(int callers, int payloadBytes) throws InterruptedException {
        client.startup();
        long began = System.nanoTime();
        try {
            calling.set(callers);
            for (int i = 0; i < callers; i++) {
                String number = i + "-";
                new Caller(number + "x".repeat(Math.max(0, payloadBytes - number.length()))).call();
            }
            ended.await();
            return json(System.nanoTime() - began);
        } finally {
            client.shutdown();
        }
    }

    private String json(long nanos) {
        return "{\"requests\": " + micros.getTotalCount()
                + ", \"duration_us\": " + TimeUnit.NANOSECONDS.toMicros(nanos)
                + ", \"mean_us\": " + Math.round(micros.getMean())
                + ", \"p50_us\": " + micros.getValueAtPercentile(50)
                + ", \"p95_us\": " + micros.getValueAtPercentile(95)
                + ", \"p98_us\": " + micros.getValueAtPercentile(98)
                + ", \"p99_us\": " + micros.getValueAtPercentile(99)
                + ", \"max_us\": " + micros.getMaxValue()
                + ", \"errors\": {\"wrong\": " + wrong.sum()
                + ", \"timeout\": " + timeouts.sum()
                + ", \"failed\": " + failed.sum() + "}}";
    }

    /** One call at a time. */
    private final class Caller implements InvokeCallback {
        private final String text;
        private long sentNanos;

        Caller(String text) {
            this.text = text;
        }

        void call() throws InterruptedException {
            if (System.nanoTime() >= endNanos) {
                if (calling.decrementAndGet() == 0) {
                    ended.countDown();
                }
                return;
            }
            sentNanos = System.nanoTime();
            try {
                client.invokeWithCallback(address, text, this, TIMEOUT_MILLIS);
            } catch (RemotingException e) {
                onException(e);
            }
        }

        @Override
        public void onResponse(Object answer) {
            long tookMicros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sentNanos);
            micros.recordValue(Math.min(tookMicros, LATENCY_MICROS_MAX));
            if (!text.equals(answer)) {
                wrong.increment();
            }
            again();
        }

        @Override
        public void onException(Throwable problem) {
            if (problem instanceof InvokeTimeoutException) {
                timeouts.increment();
                again();
                return;
            }
            failed.increment();
            Thread.ofVirtual().start(() -> {
                if (backOff()) {
                    again();
                }
            });
        }

        private boolean backOff() {
            try {
                Thread.sleep(BACK_OFF_MILLIS);
                return true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        private void again() {
            try {
                call();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        @Nullable public Executor getExecutor() {
            return null;
        }
    }
}
