package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.RetryConfig;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.proxy.Affinity;
import net.oooops.sigma.proxy.Forwarding;
import net.oooops.sigma.proxy.PathParameters;
import net.oooops.sigma.proxy.RoutePlan;
import net.oooops.sigma.proxy.TunnelPlan;
import net.oooops.sigma.proxy.WholeBodies;
import net.oooops.sigma.route.RouteTable;
import org.junit.jupiter.api.Test;

class PluginStepsTest {
    private interface Step {
        Outcome on(Exchange exchange) throws Exception;
    }

    private record Scripted(Needs needs, Step step) implements Plugin {
        @Override
        public Outcome onRequest(Exchange exchange) throws Exception {
            return step.on(exchange);
        }
    }

    @Test
    void aPathThatIsRefusedIsAnswered() {
        PluginSteps steps = steps(
                plugin(x -> {
                    x.request().path("/b/../c");
                    return Outcome.CONTINUE;
                }),
                plugin(x -> Outcome.CONTINUE));

        assertThat(steps.said())
                .containsExactly("path /a → /b/../c: refused, a dot segment", "doesn't see it any more");
        assertThat(steps.answer()).startsWith("400: ").endsWith(" made a path that is refused");
    }

    @Test
    void aCallOfGrpcAndATransformAreSaid() {
        PluginSteps steps = steps(
                plugin(x -> {
                    x.transformRequestBody((chunk, out) -> {});
                    return Outcome.CONTINUE;
                }),
                plugin(x -> {
                    x.toGrpc();
                    return Outcome.CONTINUE;
                }));
        assertThat(steps.said()).containsExactly("transforms the body", "makes it a call of gRPC");
    }

    @Test
    void aPathIsBroughtToItsOneForm() {
        assertThat(steps(plugin(x -> {
                            x.request().path("/b//%61%2f");
                            return Outcome.CONTINUE;
                        }))
                        .said())
                .containsExactly("path /a → /b/a%2F");
    }

    @Test
    void eachPluginSaysWhatItChanged() {
        PluginSteps steps = steps(
                plugin(x -> {
                    x.request().path("/b");
                    x.request().query(null);
                    return Outcome.CONTINUE;
                }),
                plugin(x -> {
                    x.request().set(Field.of("X-Path", x.request().path()));
                    x.request().remove(FieldName.of("Accept"));
                    return Outcome.CONTINUE;
                }),
                plugin(x -> Outcome.CONTINUE));

        assertThat(steps.said())
                .containsExactly(
                        "path /a → /b; query ?q=1 → none", "removes Accept; sets X-Path: /b", "changes nothing");
        assertThat(steps.answer()).isNull();
    }

    @Test
    void aPluginThatBlocksIsNotRun() {
        PluginSteps steps = steps(new Scripted(Needs.REQUEST.withBlocking(), x -> {
            throw new AssertionError("run");
        }));

        assertThat(steps.said()).containsExactly("blocks: not run here");
    }

    @Test
    void aPluginThatAnswersIsTheLastToSeeTheRequest() {
        PluginSteps steps = steps(plugin(x -> Outcome.respond(Response.text(403, "no"))), plugin(x -> {
            throw new AssertionError("run");
        }));

        assertThat(steps.said()).containsExactly("answers 403", "doesn't see it any more");
        assertThat(steps.answer()).isEqualTo("403 by p0");
    }

    @Test
    void aPluginThatFailsAnswers500() {
        PluginSteps steps = steps(plugin(x -> {
            throw new IllegalStateException("broken");
        }));

        assertThat(steps.said()).containsExactly("fails: java.lang.IllegalStateException: broken");
        assertThat(steps.answer()).isEqualTo("500: p0 fails");
    }

    @Test
    void whatASuspendedPluginWillDecideIsNotWaitedFor() {
        PluginSteps steps =
                steps(plugin(x -> Outcome.suspend(new CompletableFuture<>())), plugin(x -> Outcome.CONTINUE));

        assertThat(steps.said()).containsExactly("suspends: taken to continue", "changes nothing");
    }

    @Test
    void aBodyThatIsMadeIsSeenByTheNext() {
        Needs whole = Needs.REQUEST.withRequestBody(BodyNeed.whole(100));
        PluginSteps steps = steps(
                new Scripted(whole, x -> {
                    x.requestBody(ByteBuffer.wrap(new byte[] {'a', 'b'}));
                    return Outcome.CONTINUE;
                }),
                new Scripted(whole, x -> {
                    assertThat(x.requestBody().remaining()).isEqualTo(2);
                    return Outcome.CONTINUE;
                }));

        assertThat(steps.said()).containsExactly("body of 2 bytes", "changes nothing");
    }

    @Test
    void aBodyThatNobodyCollectsCanNotBeReplaced() {
        PluginSteps steps = steps(plugin(x -> {
            x.requestBody(ByteBuffer.allocate(1));
            return Outcome.CONTINUE;
        }));

        assertThat(steps.said())
                .singleElement()
                .asString()
                .startsWith("fails: java.lang.IllegalStateException: request body");
        assertThat(steps.answer()).isEqualTo("500: p0 fails");
    }

    private static Plugin plugin(Step step) {
        return new Scripted(Needs.REQUEST, step);
    }

    @Test
    void whatABodyLimitDoesGoesByTheBody() {
        PluginCatalog catalog = new PluginCatalog(PluginStepsTest.class.getClassLoader());
        Map<String, Object> settings = Map.of("max", "1KiB");

        assertThat(steps(made(catalog, "body-limit", settings)).said()).containsExactly("changes nothing");
        assertThat(of(dryRun("Content-Length: 1024", made(catalog, "body-limit", settings)))
                        .said())
                .containsExactly("changes nothing");
        assertThat(of(dryRun("Content-Length: 1025", made(catalog, "body-limit", settings)))
                        .said())
                .containsExactly("answers 413, body-limit: too-large");
        assertThat(of(dryRun("Transfer-Encoding: chunked", made(catalog, "body-limit", settings)))
                        .said())
                .containsExactly("transforms the body");
    }

    @Test
    void whereARedirectionLeadsAndWhatElseIsSeenIsSaid() {
        PluginCatalog catalog = new PluginCatalog(PluginStepsTest.class.getClassLoader());
        PluginSteps steps = steps(
                made(catalog, "gzip", Map.of()),
                new Scripted(Needs.REQUEST.withRequestBody(BodyNeed.CHUNKS).withEnd(), x -> Outcome.CONTINUE),
                made(catalog, "redirect", Map.of("to", "https://b$path$query")));

        assertThat(steps.said())
                .containsExactly(
                        "changes nothing of the request; sees the response",
                        "changes nothing of the request; sees its body and the end",
                        "answers 302, Location: https://b/a?q=1");
        assertThat(steps.answer()).isEqualTo("302 by p2");
    }

    /** Its answer goes back by those that stand before it, and by no other. */
    @Test
    void whatStandsBehindAnAnswerDoesNotSeeTheResponseEither() {
        PluginCatalog catalog = new PluginCatalog(PluginStepsTest.class.getClassLoader());
        PluginSteps steps = steps(
                made(catalog, "hsts", Map.of()),
                plugin(x -> Outcome.respond(Response.text(403, "no"))),
                made(catalog, "hsts", Map.of()));

        assertThat(steps.said()).containsExactly("only sees the response", "answers 403", "doesn't see it any more");
    }

    /** Once one at the beginning has found who asks, it is known, though another may look once more. */
    @Test
    void aConsumerIsKnownBehindTheFirstThatFindsIt() {
        Plugin[] plugins = {
            plugin(x -> {
                x.consumer(Consumer.of("ann"));
                return Outcome.CONTINUE;
            }),
            plugin(x -> Outcome.CONTINUE),
            plugin(x -> Outcome.CONTINUE)
        };
        DryRun dryRun = dryRun("Accept: */*", plugins);
        assertThat(PluginSteps.of(dryRun, name -> !name.equals("p1"), _ -> null).said())
                .containsExactly("sets X-Consumer-Id: ann", "changes nothing", "changes nothing");
        assertThat(PluginSteps.of(dryRun("Accept: */*", plugins), name -> name.equals("p2"), _ -> null)
                        .said()
                        .subList(1, 3))
                .containsExactly("changes nothing", "changes nothing");
        assertThat(PluginSteps.of(dryRun("Accept: */*", plugins[1], plugins[2]), name -> name.equals("p1"), _ -> null)
                        .said())
                .containsExactly("changes nothing (before the consumer is known)", "changes nothing");
    }

    @Test
    void conditionsAndShadowsAreSaid() {
        PluginCatalog catalog = new PluginCatalog(PluginStepsTest.class.getClassLoader());
        Map<String, Object> rewrite = Map.of("regexp", "^/a", "replacement", "/b");
        PluginSteps steps = steps(
                made(catalog, "rewrite-path", rewrite, "mode", "shadow"),
                made(catalog, "rewrite-path", rewrite, "when", "request.method == 'POST'"),
                made(catalog, "http-redirect-https", Map.of(), "mode", "shadow", "when", "request.path == '/a'"),
                made(catalog, "rewrite-path", rewrite, "when", "int(request.params['x']) == 1"),
                made(catalog, "hsts", Map.of(), "mode", "shadow"));

        assertThat(steps.said().subList(0, 3))
                .containsExactly(
                        "in shadow: would change it",
                        "doesn't act here (when request.method == 'POST')",
                        "in shadow: would answer 308 (when request.path == '/a')");
        assertThat(steps.said().get(3))
                .startsWith("acts, as its condition can't be evaluated (")
                .endsWith("): path /a → /b (when int(request.params['x']) == 1)");
        assertThat(steps.said().get(4)).isEqualTo("in shadow: only sees the response");
        assertThat(steps.answer()).isNull();
    }

    private static Plugin made(PluginCatalog catalog, String name, Map<String, Object> settings, String... told) {
        Map<String, Object> all = new HashMap<>(settings);
        for (int i = 0; i < told.length; i += 2) {
            all.put(told[i], told[i + 1]);
        }
        return Objects.requireNonNull(catalog.create(name, all));
    }

    private static PluginSteps steps(Plugin... plugins) {
        return of(dryRun("Accept: */*", plugins));
    }

    private static PluginSteps of(DryRun dryRun) {
        return PluginSteps.of(dryRun, name -> false, _ -> null);
    }

    private static DryRun dryRun(String field, Plugin... plugins) {
        List<Chain.Link> links = Arrays.stream(plugins)
                .map(each -> new Chain.Link("p" + Arrays.asList(plugins).indexOf(each), each))
                .toList();
        Forwarding forwarding = new Forwarding(AllowForward.NONE, List.of());
        DryRun dryRun = new DryRun(new RoutePlan(
                "main",
                "r",
                PathParameters.NONE,
                Chain.of(links),
                new WholeBodies(WholeBodies.PASSING, WholeBodies.PASSING),
                forwarding,
                null,
                Affinity.NONE,
                true,
                1,
                1,
                RetryConfig.DEFAULT,
                TunnelPlan.NONE,
                List.of(),
                List.of()));
        AskedRequest asked = new AskedRequest("GET", false, "a", 80, "/a?q=1", List.of(field));
        assertThat(dryRun.read(asked, Limits.DEFAULT, false)).isNull();
        assertThat(dryRun.route(RouteTable.of(List.of())).winner()).isNull();
        return dryRun;
    }
}
