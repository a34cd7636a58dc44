package net.oooops.sigma.plugins.authentication.jwt;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys that are fetched from a URL, which only sigma.json names: no token, and no redirect, leads anywhere else. They are fetched at the start, again
 * once they are old, and between when a token names a key that isn't among them, but not more often than once in a pause. Where that fails, those
 * that were fetched last stay. Safe for use from any thread.
 */
final class RemoteKeys {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteKeys.class);
    private static final long LOOK_MILLIS = 500;

    /**
     * What is fetched, and how.
     *
     * @param trust whose certificates are trusted; null: those that the JDK trusts
     * @param lifetime after which keys are fetched again
     * @param pause that is between two times at least
     */
    record Wanted(URI url, @Nullable SSLContext trust, Duration lifetime, Duration pause, Duration timeout) {}

    private static final int BYTES_MAX = 1 << 20;

    private final Wanted wanted;
    private final Consumer<String> taker;
    private final PluginContext.Counter failures;
    private final AtomicReference<@Nullable CompletableFuture<Boolean>> underWay = new AtomicReference<>();
    private volatile @Nullable HttpClient client;
    private volatile @Nullable ScheduledThreadPoolExecutor timer;
    private volatile long begunNanos;
    private volatile long dueNanos;
    private volatile @Nullable String text;
    private volatile boolean told;
    private volatile boolean closed;

    /** @param taker takes the text of a JWK Set; throws UnfitException where it is none */
    RemoteKeys(Wanted wanted, Consumer<String> taker, PluginContext.Counter failures) {
        this.wanted = wanted;
        this.taker = taker;
        this.failures = failures;
    }

    /** Takes what another has fetched from there. */
    void takeOver(RemoteKeys before) {
        String last = before.text;
        if (last != null && before.wanted.url.equals(wanted.url)) {
            taker.accept(last);
            text = last;
        }
    }

    /** Begins to fetch. */
    void start() {
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(wanted.timeout).followRedirects(HttpClient.Redirect.NEVER);
        client = (wanted.trust == null ? builder : builder.sslContext(wanted.trust)).build();
        begunNanos = System.nanoTime() - wanted.pause.toNanos();
        dueNanos = System.nanoTime();
        ScheduledThreadPoolExecutor looking = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("sigma-jwks").factory());
        looking.scheduleWithFixedDelay(this::look, 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        timer = looking;
        fetch();
    }

    /** Stops. */
    void close() {
        ScheduledThreadPoolExecutor looking = timer;
        HttpClient asking = client;
        if (looking != null && asking != null) {
            closed = true;
            looking.shutdownNow();
            asking.shutdownNow();
        }
    }

    private void look() {
        if (System.nanoTime() - dueNanos >= 0) {
            fetch();
        }
    }

    /**
     * Fetches them now, or waits for those that are being fetched.
     *
     * @return completes, never with a failure, with whether there are other keys now; null where they were fetched a short while ago
     */
    @Nullable CompletableFuture<Boolean> fetch() {
        HttpClient asking = client;
        CompletableFuture<Boolean> before = underWay.get();
        if (before != null || asking == null || System.nanoTime() - begunNanos < wanted.pause.toNanos()) {
            return before;
        }
        CompletableFuture<Boolean> next = new CompletableFuture<>();
        if (!underWay.compareAndSet(null, next)) {
            return underWay.get();
        }
        begunNanos = System.nanoTime();
        HttpRequest request = HttpRequest.newBuilder(wanted.url)
                .header("Accept", "application/jwk-set+json, application/json")
                .timeout(wanted.timeout)
                .build();
        CompletableFuture<HttpResponse<byte[]>> sent = asking.sendAsync(
                request, HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), BYTES_MAX));
        sent.copy()
                .orTimeout(wanted.timeout.toMillis(), TimeUnit.MILLISECONDS)
                .handle(this::taken)
                .whenComplete((changed, failure) -> {
                    sent.cancel(true);
                    underWay.set(null);
                    next.complete(failure == null && changed);
                });
        return next;
    }

    private boolean taken(@Nullable HttpResponse<byte[]> response, @Nullable Throwable failure) {
        boolean changed = false;
        try {
            if (response == null) {
                throw new UnfitException(
                        "an answer; " + (failure instanceof CompletionException ? failure.getCause() : failure));
            }
            if (response.statusCode() != 200) {
                throw new UnfitException("status 200, not " + response.statusCode());
            }
            String found = new String(response.body(), StandardCharsets.UTF_8);
            changed = !found.equals(text);
            if (changed) {
                taker.accept(found);
                text = found;
                LOG.info("{}: keys fetched", wanted.url);
            }
            told = false;
            dueNanos = System.nanoTime() + wanted.lifetime.toNanos();
        } catch (RuntimeException e) {
            changed = false;
            failures.increment();
            dueNanos = System.nanoTime() + wanted.pause.toNanos();
            if (!told && !closed) {
                told = true;
                LOG.warn(
                        "{}: no keys fetched, tried again every {} s (expected: {})",
                        wanted.url,
                        wanted.pause.toSeconds(),
                        e.getMessage());
            }
        }
        return changed;
    }
}
