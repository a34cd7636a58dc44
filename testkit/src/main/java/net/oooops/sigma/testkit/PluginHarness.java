package net.oooops.sigma.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.api.SessionOutcome;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Runs one plugin without a gateway, as a chain would run it: a step that its {@link Needs} don't name can't be run, one that
 * blocks runs on a virtual thread, a suspended one is awaited.
 *
 * <pre>{@code
 * PluginHarness hsts = PluginHarness.of(new HstsFactory(), Map.of("max-age", 60));
 * TestExchange exchange = TestExchange.of("GET", "/a").withScheme("https");
 * hsts.response(exchange, 200, "Content-Type: text/plain");
 * assertThat(exchange.response().lines()).contains("Strict-Transport-Security: max-age=60");
 * }</pre>
 *
 * <p>Not for several threads at once.
 */
public final class PluginHarness {
    /** How long one step may take, in seconds. */
    private static final int STEP_TIMEOUT_SECONDS = 10;

    private final Plugin plugin;
    private final Needs needs;

    private PluginHarness(Plugin plugin) {
        this.plugin = plugin;
        this.needs = plugin.needs();
    }

    interface Step {
        Outcome run() throws Exception;
    }

    /** A harness for that plugin. */
    public static PluginHarness of(Plugin plugin) {
        return new PluginHarness(plugin);
    }

    /**
     * A harness for the plugin that {@code factory} makes.
     *
     * @param settings the value under the plugin's key in sigma.json: Map, List, String, Number, Boolean or null
     */
    public static PluginHarness of(PluginFactory factory, @Nullable Object settings) {
        return of(factory.create(Settings.of(settings), new TestContext()));
    }

    /** The plugin. */
    public Plugin plugin() {
        return plugin;
    }

    /**
     * Runs {@link Plugin#onRequest} and returns what it decided in the end: never a Suspend. Where it answers, that answer
     * stands in the exchange, not yet seen by {@link Plugin#onResponse}.
     *
     * @throws Exception as the plugin threw it
     */
    public Outcome request(TestExchange exchange) throws Exception {
        checkNeeded(needs.request(), "onRequest");
        exchange.showRequestTo(needs);
        return run(exchange, () -> plugin.onRequest(exchange));
    }

    /**
     * Lets the server answer without a body and runs {@link Plugin#onResponse}.
     *
     * @param fields each {@code Name: value}
     * @throws Exception as the plugin threw it
     */
    public Outcome response(TestExchange exchange, int status, String... fields) throws Exception {
        return responseWithBody(exchange, status, "", fields);
    }

    /** The same with a body, in UTF-8. */
    public Outcome responseWithBody(TestExchange exchange, int status, String body, String... fields) throws Exception {
        exchange.answer(status, body, fields);
        return response(exchange);
    }

    /** Runs {@link Plugin#onResponse} on the answer that already stands in the exchange. */
    public Outcome response(TestExchange exchange) throws Exception {
        checkNeeded(needs.response(), "onResponse");
        exchange.showResponseTo(needs);
        return run(exchange, () -> plugin.onResponse(exchange));
    }

    /**
     * Runs {@link Plugin#onSession} and returns what it decided.
     *
     * @throws Exception as the plugin threw it
     */
    public SessionOutcome session(Session session) throws Exception {
        checkNeeded(needs.session(), "onSession");
        return plugin.onSession(session);
    }

    /** Runs {@link Plugin#onEnd}. */
    public void end(TestExchange exchange) {
        checkNeeded(needs.end(), "onEnd");
        plugin.onEnd(exchange);
    }

    private static void checkNeeded(boolean needed, String step) {
        if (!needed) {
            throw new IllegalStateException(step + " (expected: a step that the plugin's needs name)");
        }
    }

    private Outcome run(TestExchange exchange, Step step) throws Exception {
        Outcome outcome;
        try {
            outcome = decided(exchange, step);
        } finally {
            exchange.shown();
        }
        if (outcome instanceof Outcome.Respond respond) {
            exchange.answer(respond.response());
            if (respond.reason() != null) {
                respond.reason().count();
            }
        }
        if (outcome instanceof Outcome.Refuse refuse && refuse.reason() != null) {
            refuse.reason().count();
        }
        return outcome;
    }

    private Outcome decided(TestExchange exchange, Step step) throws Exception {
        Outcome outcome = needs.blocking() ? onVirtualThread(step) : step.run();
        while (outcome instanceof Outcome.Suspend suspend) {
            CompletableFuture<Outcome> next = new CompletableFuture<>();
            suspend.next().whenComplete((result, failure) -> {
                if (failure == null) {
                    next.complete(result);
                } else {
                    next.completeExceptionally(failure);
                }
            });
            outcome = await(next);
        }
        return outcome instanceof Outcome.Then then
                ? decided(exchange, () -> then.step().apply(exchange))
                : outcome;
    }

    static Outcome onVirtualThread(Step step) throws Exception {
        CompletableFuture<Outcome> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(step.run());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return await(result);
    }

    private static Outcome await(CompletableFuture<Outcome> result) throws Exception {
        try {
            return result.get(STEP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() instanceof CompletionException inner ? inner.getCause() : e.getCause();
            throw cause instanceof Exception failure ? failure : new IllegalStateException(cause);
        } catch (TimeoutException e) {
            throw new IllegalStateException("no outcome after " + STEP_TIMEOUT_SECONDS + " s (expected: one)", e);
        }
    }
}
