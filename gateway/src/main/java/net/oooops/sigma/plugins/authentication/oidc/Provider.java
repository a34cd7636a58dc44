package net.oooops.sigma.plugins.authentication.oidc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.plugins.authentication.jose.JwkReader;
import net.oooops.sigma.plugins.authentication.jose.KeySet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The provider: what it says of itself and its keys, which it is asked for by the first exchange that wants them, and again when they are old, with those
 * before in use meanwhile. All who want them at once wait for one that asks; where its client goes away, another one asks. What it is asked goes where
 * sigma.json says: a URL of its own leads nowhere that no proxy-pass is written for.
 *
 * <p>Safe for use from any thread.
 */
final class Provider {
    private static final Logger LOG = LoggerFactory.getLogger(Provider.class);
    private static final int ANSWER_BYTES_MAX = 1 << 20;
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long KEYS_PAUSE_NANOS = Duration.ofSeconds(30).toNanos();
    private static final int TRIES = 5;

    /** What is left to another process begins with it: with another version it changes. */
    private static final String LEFT_FORM = "oidc-provider 1\n";

    /**
     * What is known of it.
     *
     * @param discovered what it said of itself, as it said it
     * @param keysText its keys, the same
     */
    record Known(Metadata metadata, KeySet keys, String discovered, String keysText) {}

    /**
     * How it is asked.
     *
     * @param proxyPasses by what the URLs begin with: scheme, host and port
     * @param algorithms with which its tokens may be signed
     * @param lifetime of what it has said
     * @param timeout of each request
     */
    record Way(
            String issuer,
            Url discovery,
            Map<String, String> proxyPasses,
            Set<Algorithm> algorithms,
            Duration lifetime,
            Duration timeout) {
        Way {
            proxyPasses = Map.copyOf(proxyPasses);
            algorithms = Set.copyOf(algorithms);
        }
    }

    private final Way way;
    private final PluginContext.Counter failures;
    private final AtomicReference<@Nullable CompletableFuture<Known>> underWay = new AtomicReference<>();
    private volatile @Nullable Known known;
    private volatile long askedNanos;
    private volatile long failedNanos;
    private volatile long missedNanos;
    private volatile boolean told;

    Provider(Way way, PluginContext.Counter failures) {
        this.way = way;
        this.failures = failures;
        this.failedNanos = System.nanoTime() - PAUSE_NANOS;
        this.missedNanos = System.nanoTime() - KEYS_PAUSE_NANOS;
    }

    /** Goes on with what another one knows, where that is asked the same way. */
    void takeOver(Provider before) {
        if (way.equals(before.way)) {
            known = before.known;
            askedNanos = before.askedNanos;
        }
    }

    /** What is known of it, for one in another process; empty where nothing is. */
    byte[] leave() {
        Known now = known;
        return now == null
                ? new byte[0]
                : (source() + now.discovered.length() + '\n' + now.discovered + now.keysText)
                        .getBytes(StandardCharsets.UTF_8);
    }

    private String source() {
        return LEFT_FORM + way.issuer + '\n' + way.discovery + '\n';
    }

    /**
     * Goes on with what one in another process has known, where that has asked the same: as something old, so that it is asked anew by the first
     * exchange.
     *
     * @throws UnfitException where it can't be used
     */
    void inherit(byte[] left) {
        String text = new String(left, StandardCharsets.UTF_8);
        if (text.startsWith(source())) {
            int begin = text.indexOf('\n', source().length()) + 1;
            int end = begin + Integer.parseInt(text.substring(source().length(), begin - 1));
            String discovered = text.substring(begin, end);
            Metadata metadata = reachable(Metadata.of(way.issuer, discovered.getBytes(StandardCharsets.UTF_8)));
            String keysText = text.substring(end);
            known = new Known(metadata, keys(metadata.keys(), keysText), discovered, keysText);
            askedNanos = System.nanoTime() - way.lifetime.toNanos();
        }
    }

    String issuer() {
        return way.issuer;
    }

    /** What is known of it; fails with a {@link ProviderException} where nothing is, and it can't be asked. */
    CompletionStage<Known> known(Exchange exchange) {
        Known now = known;
        if (now == null) {
            return asked(exchange, TRIES);
        }
        boolean old = System.nanoTime() - askedNanos >= way.lifetime.toNanos();
        // Not behind an exchange's back, which may be over soon: the one that asks waits, and nobody else.
        return old && underWay.get() == null
                ? asked(exchange, 1).exceptionallyCompose(this::lastOr)
                : CompletableFuture.completedFuture(now);
    }

    private CompletionStage<Known> lastOr(Throwable failure) {
        Known last = known;
        return last == null ? CompletableFuture.failedFuture(failure) : CompletableFuture.completedFuture(last);
    }

    /** The same, for one who has met a key that isn't known: asked anew, but not more often than once in a pause. */
    CompletionStage<Known> newer(Exchange exchange, Known than) {
        Known now = known;
        if (now != null && (!now.equals(than) || System.nanoTime() - missedNanos < KEYS_PAUSE_NANOS)) {
            return CompletableFuture.completedFuture(now);
        }
        // Not before it has answered: who asks may go away.
        return asked(exchange, TRIES).thenApply(found -> {
            missedNanos = System.nanoTime();
            return found;
        });
    }

    private CompletableFuture<Known> asked(Exchange exchange, int tries) {
        if (System.nanoTime() - failedNanos < PAUSE_NANOS) {
            return CompletableFuture.failedFuture(
                    ProviderException.unavailable("it couldn't be asked a short while ago"));
        }
        CompletableFuture<Known> own = new CompletableFuture<>();
        CompletableFuture<Known> before = underWay.compareAndExchange(null, own);
        if (before != null) {
            return before.handle((found, failure) ->
                            failure != null && isAskerGone(failure) && tries > 1 ? asked(exchange, tries - 1) : before)
                    .thenCompose(Function.identity());
        }
        found(exchange).whenComplete((found, failure) -> {
            take(found, failure);
            underWay.set(null);
            if (failure == null) {
                own.complete(found);
            } else {
                own.completeExceptionally(failure);
            }
        });
        return own;
    }

    private CompletionStage<Known> found(Exchange exchange) {
        Callout discovery = json(way.discovery);
        return ask(exchange, way.discovery, discovery)
                .thenCompose(answer -> foundKeys(exchange, body(way.discovery, answer)));
    }

    private CompletionStage<Known> foundKeys(Exchange exchange, byte[] discovered) {
        Metadata metadata = reachable(Metadata.of(way.issuer, discovered));
        return ask(exchange, metadata.keys(), json(metadata.keys())).thenApply(answer -> {
            String text = new String(body(metadata.keys(), answer), StandardCharsets.UTF_8);
            KeySet keys = keys(metadata.keys(), text);
            return new Known(metadata, keys, new String(discovered, StandardCharsets.UTF_8), text);
        });
    }

    /** Nobody is sent to log in where that couldn't be ended. */
    private Metadata reachable(Metadata metadata) {
        checkReachable("token_endpoint", metadata.token());
        checkReachable("jwks_uri", metadata.keys());
        return metadata;
    }

    private void checkReachable(String name, Url url) {
        if (!way.proxyPasses.containsKey(url.server())) {
            throw new UnfitException(
                    "a proxy-pass for " + url.server() + " in \"other-origins\", where its \"" + name + "\" is");
        }
    }

    private static Callout json(Url url) {
        return Callout.of("GET", url.target())
                .with(List.of(Field.of("Accept", "application/json")))
                .answerBytesMax(ANSWER_BYTES_MAX);
    }

    /** A set without any is an answer, too: those of before are none of the provider's any more, and nobody can log in. */
    private KeySet keys(Url url, String text) {
        JwkReader.Found found = JwkReader.set(text, way.algorithms);
        if (found.isEmpty()) {
            known = null;
            throw new UnfitException("at least one public key for signatures by " + way.algorithms + " at " + url + " ("
                    + found.summary() + ")");
        }
        return found.usable();
    }

    private static byte[] body(Url url, Response answer) {
        if (answer.status() != 200) {
            throw new UnfitException("status 200 from " + url + ", not " + answer.status());
        }
        byte[] body = new byte[answer.bodyBytes()];
        answer.copyBodyTo(body, 0);
        return body;
    }

    /** The same, which goes on when the exchange is over: for what counts once it was asked. */
    CompletionStage<Response> askInAnyCase(Exchange exchange, Url url, Callout callout) {
        return ask(exchange, url, callout.detached(way.timeout));
    }

    /** Asks it for something of that URL; fails where no proxy-pass leads there. */
    CompletionStage<Response> ask(Exchange exchange, Url url, Callout callout) {
        String proxyPass = way.proxyPasses.get(url.server());
        if (proxyPass == null) {
            return CompletableFuture.failedFuture(
                    new UnfitException("a proxy-pass for " + url.server() + " in \"other-origins\""));
        }
        try {
            return exchange.call(proxyPass, callout.host(url.authority()).within(way.timeout));
        } catch (IllegalStateException e) {
            // The exchange went on without it.
            return CompletableFuture.failedFuture(e);
        }
    }

    private void take(@Nullable Known found, @Nullable Throwable failure) {
        if (found != null) {
            known = found;
            askedNanos = System.nanoTime();
            told = false;
        } else if (failure != null && !isAskerGone(failure)) {
            failedNanos = System.nanoTime();
            failed(failure);
        }
    }

    /** It couldn't be asked, which is said once until it can be again. */
    void failed(Throwable failure) {
        failures.increment();
        if (!told) {
            told = true;
            LOG.warn("{}: {}", way.issuer, why(failure));
        }
    }

    /** It could be asked. */
    void worked() {
        told = false;
    }

    private static String why(Throwable failure) {
        Throwable cause = cause(failure);
        if (cause instanceof UnfitException unfit) {
            return "can't be used (expected: " + unfit.expected() + ")";
        }
        boolean given = cause instanceof ProviderException known && known.kind() == ProviderException.Kind.UNFIT_TOKEN;
        return (given ? "gives what can't be used (" : "can't be asked (") + cause.getMessage() + ")";
    }

    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Whether it is who asked that is gone, not the provider. */
    static boolean isAskerGone(Throwable failure) {
        Throwable cause = cause(failure);
        return cause instanceof IllegalStateException
                || (cause instanceof CalloutException none && none.fault().isClientLost());
    }
}
