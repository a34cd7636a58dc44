package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.plugin.MeteredContext;
import net.oooops.sigma.plugin.PluginMeters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What plugins find out of an exchange, and leave for each other, for nodes and for those who run Sigma. */
class PluginFactsTest {
    private static final Key<String> TENANT = Key.of(String.class, "tenant");
    private static final Key<Long> COST = Key.of(Long.class, "cost");

    private static GatewayFixture gateway(ScriptedUpstream upstream, String path, Probe... probes) {
        PluginConfig[] ofRoute = Stream.of(probes).map(Probe::config).toArray(PluginConfig[]::new);
        return GatewayFixture.to(upstream)
                .plugins(Probe.LOADER)
                .route(path, ofRoute)
                .start();
    }

    private static Stream<String> consumerFields(ReceivedRequest request) {
        return request.head()
                .lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).matches("x[-_]consumer.*"));
    }

    @Test
    void aConsumerIsSeenByThoseThatFollowAndByNodes() throws IOException {
        List<String> seen = new CopyOnWriteArrayList<>();
        Consumer guest = Consumer.of("guest", Field.of("X-Consumer-Plan", "free"));
        Consumer ada = Consumer.of("ada", Field.of("X-Consumer-Group", "admins"));
        Probe first = Probe.probe().onRequest(exchange -> {
            seen.add(String.valueOf(exchange.consumer()));
            exchange.consumer(guest);
            return Outcome.CONTINUE;
        });
        Probe second = Probe.probe().onRequest(exchange -> {
            seen.add(String.valueOf(exchange.consumer()));
            if (exchange.request().path().equals("/ada")) {
                exchange.consumer(ada);
            }
            return Outcome.CONTINUE;
        });
        List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    received.add(request);
                    return Answer.ok("hello");
                });
                GatewayFixture gateway = gateway(upstream, "/*", first, second);
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/ada")).readResponse();
            client.send(Ask.get("/other")).readResponse();
        }
        assertThat(seen).as("nothing is left of the request before").containsExactly("null", "guest", "null", "guest");
        assertThat(consumerFields(received.get(0)))
                .containsExactlyInAnyOrder("X-Consumer-Id: ada", "X-Consumer-Group: admins");
        assertThat(consumerFields(received.get(1)))
                .containsExactlyInAnyOrder("X-Consumer-Id: guest", "X-Consumer-Plan: free");
    }

    /** Also where nobody authenticates: the same node may be reached by another route. */
    @ParameterizedTest
    @ValueSource(strings = {"X-Consumer-Id", "x-consumer-plan", "X_Consumer_Id", "X-Consumer_Id", "X-CONSUMER-X"})
    void whatClientsSayOfConsumersReachesNoNode(String name) throws IOException {
        List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    received.add(request);
                    return Answer.ok("hello");
                });
                GatewayFixture gateway = gateway(upstream, "/*");
                RawClient client = gateway.connect()) {
            String fields = name + ": root\r\nX-Consumer: kept\r\nX-Consumers: kept\r\n";
            client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: " + name + "\r\n" + fields + "\r\n")
                    .readResponse();
        }
        assertThat(consumerFields(received.get(0))).containsExactly("X-Consumer: kept", "X-Consumers: kept");
    }

    /** A plugin that reads the field, as a template of headers may, would hand on what nobody has verified. */
    @Test
    void whatClientsSayOfConsumersIsSeenByNoPlugin() throws IOException {
        List<String> seen = new CopyOnWriteArrayList<>();
        Probe looks = Probe.probe().onRequest(exchange -> {
            seen.add(exchange.request().value(FieldName.of("X-Consumer-Id")) + " "
                    + exchange.request().names().contains("X-Consumer-Id"));
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = gateway(upstream, "/*", looks);
                RawClient client = gateway.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Consumer-Id: root\r\n\r\n")
                    .readResponse();
        }
        assertThat(seen).containsExactly("null false");
    }

    @Test
    void whatClientsSayOfConsumersInTrailersIsLeftOut() throws IOException {
        List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    received.add(request);
                    return Answer.ok("hello");
                });
                GatewayFixture gateway = gateway(upstream, "/*");
                RawClient client = gateway.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"
                    + "X-Consumer-Id: root\r\nX-Kept: yes\r\nX-Consumer-Plan: gold\r\nX-Last: 1\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
        }
        assertThat(received.getFirst().trailers()).hasToString("X-Kept: yes\nX-Last: 1\n");
    }

    /** Some nodes make one of head and trailers. */
    @Test
    void whatPluginsTookOutOrSaidIsLeftOutOfTrailers() throws IOException {
        List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
        Probe plugin = Probe.probe().onRequest(exchange -> {
            exchange.request().remove(FieldName.of("X-Api-Key"));
            exchange.request().set(Field.of("X-Tenant", "a"));
            exchange.request().add(Field.of("X-Added", "a"));
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    received.add(request);
                    return Answer.ok("hello");
                });
                GatewayFixture gateway = gateway(upstream, "/*", plugin);
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"
                        + "X-API-Key: secret\r\nX_Tenant: b\r\nX-Added: b\r\nX-Last: 1\r\n\r\n");
                assertThat(client.readResponse().status()).isEqualTo(200);
                assertThat(received.getLast().trailers()).hasToString("X-Added: b\nX-Last: 1\n");
            }
        }
    }

    /** As for Authorization: who sends it is said in the head, from which plugins take it out. */
    @ParameterizedTest
    @ValueSource(strings = {"Cookie: session=1", "cookie: a", "Authorization: Basic YTpi"})
    void credentialsAreNoTrailers(String field) throws IOException {
        List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    received.add(request);
                    return Answer.ok("hello");
                });
                GatewayFixture gateway = gateway(upstream, "/*");
                RawClient client = gateway.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n" + field
                    + "\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(400);
        }
        assertThat(received).isEmpty();
    }

    @Test
    void aValueIsLeftForThoseThatFollow() throws IOException {
        List<String> seen = new CopyOnWriteArrayList<>();
        Probe leaves = Probe.probe()
                .onRequest(exchange -> {
                    seen.add("first " + exchange.value(TENANT));
                    exchange.value(TENANT, exchange.request().path().substring(1));
                    exchange.value(COST, 7L);
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    seen.add("back " + exchange.value(TENANT) + " " + exchange.value(COST));
                    return Outcome.CONTINUE;
                });
        Probe finds = Probe.probe().onRequest(exchange -> {
            seen.add("second " + exchange.value(TENANT));
            if (exchange.request().path().equals("/b")) {
                exchange.value(TENANT, null);
            }
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = gateway(upstream, "/*", leaves, finds);
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/a")).readResponse();
            client.send(Ask.get("/b")).readResponse();
        }
        assertThat(seen).containsExactly("first null", "second a", "back a 7", "first null", "second b", "back null 7");
    }

    @ParameterizedTest
    @CsvSource({
        "/shops/:shop/items/:item, /shops/7/items/a%2Fb, shop, 7",
        "/shops/:shop/items/:item, /shops/7/items/a%2Fb, item, a%2Fb",
        "/shops/:shop/items/:item, //shops/./7//items/%61, item, a",
        "/shops/:shop/items/:item, /shops/7/items/a?x=y, item, a",
        "/shops/:shop/items/:item, /shops/7/items/a, items,",
        "/shops/:shop/*, /shops/7, shop, 7",
        "/shops/:shop/*, /shops/7/, shop, 7",
        "/*, /shops/7, shop,"
    })
    void aParameterIsOfThePathThatTheRouteWasFoundBy(String route, String target, String name, String expected)
            throws IOException {
        List<String> seen = new CopyOnWriteArrayList<>();
        Probe rewrites = Probe.probe().onRequest(exchange -> {
            seen.add(String.valueOf(exchange.parameter(name)));
            exchange.request().path("/elsewhere/longer/than/before/by/far");
            exchange.request().path("/x");
            return Outcome.CONTINUE;
        });
        Probe follows = Probe.probe()
                .onRequest(exchange -> {
                    seen.add(String.valueOf(exchange.parameter(name)));
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    seen.add(String.valueOf(exchange.parameter(name)));
                    return Outcome.CONTINUE;
                });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = gateway(upstream, route, rewrites, follows);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get(target)).readResponse().status()).isEqualTo(200);
            assertThat(client.send(Ask.get(target)).readResponse().status()).isEqualTo(200);
        }
        assertThat(seen).hasSize(6).containsOnly(String.valueOf(expected));
    }

    /** The answer of a lookup changes the request, on the event loop. */
    @Test
    void aLookupGoesOnWithTheExchange() throws IOException {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Probe looks = Probe.probe().onRequest(exchange -> {
            threads.add(Thread.currentThread());
            return Outcome.suspend(CompletableFuture.supplyAsync(
                    () -> Outcome.then(there -> {
                        threads.add(Thread.currentThread());
                        there.request().set(Field.of("X-Found", "42"));
                        return there.request().path().equals("/no")
                                ? Outcome.respond(Response.text(403, "no"))
                                : Outcome.CONTINUE;
                    }),
                    CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS)));
        });
        List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    received.add(request);
                    return Answer.ok("hello");
                });
                GatewayFixture gateway = gateway(upstream, "/*", looks);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/yes")).readResponse().status()).isEqualTo(200);
            assertThat(client.send(Ask.get("/no")).readResponse().status()).isEqualTo(403);
        }
        assertThat(received).hasSize(1);
        assertThat(received.getFirst().head().lines()).contains("X-Found: 42");
        assertThat(threads).hasSize(4);
        assertThat(threads.get(1)).isSameAs(threads.get(0));
    }

    @Test
    void aStepThatThrowsIsThePluginsFailure() throws IOException {
        Probe fails = Probe.probe()
                .onRequest(exchange -> Outcome.suspend(CompletableFuture.completedFuture(Outcome.then(there -> {
                    throw new IllegalStateException("found nothing");
                }))));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = gateway(upstream, "/*", fails);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(500);
            assertThat(upstream.connectionCount()).isZero();
        }
    }

    /** What Prometheus adds to names, or reads in them: another metric could have the same. */
    @ParameterizedTest
    @ValueSource(strings = {"hits_total", "hits_count", "hits_sum", "hits_bucket", "hits_created", "hits_info"})
    void aNameThatPrometheusMakesIsRefused(String name) {
        PluginContext context = MeteredContext.of("probe", new PluginMeters());
        assertThatThrownBy(() -> context.counter(name, "Hits."))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
        assertThatThrownBy(() -> context.histogram(name, "Hits.")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aReasonIsCountedWhereItTakesEffect() throws IOException {
        PluginMeters meters = new PluginMeters();
        Reason reason = MeteredContext.of("probe", meters).reason("too-late");
        Probe answers = Probe.probe().onRequest(exchange -> {
            Outcome refused = reason.respond(Response.text(403, "no"));
            return exchange.request().path().equals("/no") ? refused : Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = gateway(upstream, "/*", answers);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/no")).readResponse().status()).isEqualTo(403);
            assertThat(client.send(Ask.get("/yes")).readResponse().status()).isEqualTo(200);
        }
        assertThat(meters.read()).singleElement().satisfies(read -> {
            assertThat(read.name()).isEqualTo("too-late");
            assertThat(read.value()).isEqualTo(1);
        });
    }
}
