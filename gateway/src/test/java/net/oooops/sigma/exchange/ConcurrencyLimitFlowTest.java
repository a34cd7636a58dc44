package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests under way, with real sockets: each leaves once, however it ends. */
class ConcurrencyLimitFlowTest {
    private static final int ENOUGH = 1000;

    private volatile Gate gate = new Gate();
    private final Gate forever = new Gate();
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(request -> switch (request.target()) {
        case "/hold" -> {
            gate.pass();
            yield Answer.ok("held");
        }
        case "/forever" -> {
            forever.pass();
            yield Answer.ok("");
        }
        case "/cut" ->
            Script.script()
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
                    .reset();
        case "/gone" -> Script.script().close();
        case "/large" -> Answer.ok("").body(GeneratedBody.of(1, 1 << 20));
        default -> Script.script().readBody().respond(Answer.ok("hello"));
    });
    private final Probe probe = Probe.probe()
            .onRequest(exchange -> switch (exchange.request().path()) {
                case "/throws" -> throw new IllegalStateException("as asked");
                case "/answers" -> Outcome.respond(Response.of(403));
                case "/suspends" -> Outcome.suspend(new CompletableFuture<Outcome>());
                default -> Outcome.CONTINUE;
            });
    private final PluginConfig probed = probe.config();
    private final PluginCatalog catalog = new PluginCatalog(Probe.LOADER);

    @AfterEach
    void stop() {
        gate.release();
        forever.release();
        upstream.close();
    }

    private GatewayBuilder limited(int max, int... ports) {
        GatewayBuilder builder = ports.length == 0 ? GatewayFixture.to(upstream) : GatewayFixture.toPorts(ports);
        return builder.plugins(catalog)
                .workers(2)
                .route("/*", GatewayFixture.plugin("concurrency-limit", Map.of("max", max)), probed);
    }

    /** The same gateway with another bound. */
    private void reload(GatewayFixture gateway, GatewayBuilder other) throws StartException {
        SigmaConfig config = other.config();
        gateway.gateway().reload(before -> new Gateway.Next(SnapshotCompiler.compile(config, catalog, before)));
    }

    /** How many of so many requests at once are let in; all of them end. */
    private int admitted(GatewayFixture gateway, int tries) throws IOException {
        gate = new Gate();
        long seen = upstream.requestCount();
        long refused = gateway.count(Counter.REQUESTS_4XX);
        try (Crowd crowd = Crowd.of(gateway, tries)) {
            crowd.send(Ask.get("/hold"));
            Await.until("all decided on", () -> {
                return upstream.requestCount() - seen + gateway.count(Counter.REQUESTS_4XX) - refused >= tries;
            });
            gate.release();
            return Collections.frequency(crowd.statuses(), 200);
        }
    }

    @Test
    void soManyAreUnderWayAndNoMore() throws IOException {
        try (GatewayFixture gateway = limited(3).start()) {
            assertThat(admitted(gateway, 12)).isEqualTo(3);
            Ask.quiet(gateway);
            assertThat(admitted(gateway, 12)).isEqualTo(3);
        }
    }

    private static String post(String body) {
        return Ask.postHead("/", 100) + body;
    }

    /** One client that does something, and stays or goes. */
    private void act(int what, RawClient client) throws IOException {
        switch (what) {
            case 0 -> client.send(Ask.get("/")).readResponse();
            case 1 -> client.send(Ask.post("/", "body")).readResponse();
            case 2 -> client.send(post("half")).reset();
            case 3 -> client.send(Ask.get("/forever")).reset();
            case 4 -> client.send(Ask.get("/forever"));
            case 5 -> client.send(Ask.get("/cut")).readUntilClose();
            case 6 -> client.send(Ask.get("/gone")).readResponse();
            case 7 -> {
                client.send(Ask.get("/large")).readHead();
                client.reset();
            }
            case 8 -> client.send(Ask.get("/throws")).readResponse();
            case 9 -> client.send(Ask.get("/answers")).readResponse();
            case 10 -> client.send(Ask.get("/suspends"));
            case 11 -> client.send(Ask.head("/large")).readResponse("HEAD");
            case 12 -> client.send(Ask.get("/large").repeat(5)).reset();
            case 13 -> client.send(post("half")).halfClose();
            default -> client.send(Ask.get("/hold")).close();
        }
    }

    /** Answered or not, cut by the client, the node or another plugin: when all is quiet nobody is counted. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void whateverHappensEachLeavesOnce(long seed) throws Exception {
        Random random = new Random(seed);
        List<RawClient> clients = new ArrayList<>();
        try (GatewayFixture gateway = limited(ENOUGH).start()) {
            for (int i = 0; i < 150; i++) {
                RawClient client = gateway.connect();
                clients.add(client);
                act(random.nextInt(15), client);
                if (random.nextInt(4) == 0) {
                    clients.get(random.nextInt(clients.size())).reset();
                }
            }
            // One that only ends its output may still listen.
            clients.forEach(RawClient::reset);
            gate.release();
            Ask.quiet(gateway);
            reload(gateway, limited(3));
            assertThat(admitted(gateway, 8)).isEqualTo(3);
            Ask.quiet(gateway);
        } finally {
            clients.forEach(RawClient::close);
        }
    }

    /** Who is under way at a reload is counted by the bound that holds then. */
    @Test
    void anotherBoundCountsThoseUnderWay() throws Exception {
        try (GatewayFixture gateway = limited(2).start();
                RawClient one = gateway.connect();
                RawClient other = gateway.connect();
                RawClient next = gateway.connect()) {
            one.send(Ask.get("/hold"));
            other.send(Ask.get("/forever"));
            upstream.awaitHeads(2);
            reload(gateway, limited(1));
            assertThat(next.send(Ask.get("/")).readResponse().status()).isEqualTo(429);
            gate.release();
            assertThat(one.readResponse().status()).isEqualTo(200);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 1);
            assertThat(next.send(Ask.get("/")).readResponse().status()).isEqualTo(429);
            forever.release();
            assertThat(other.readResponse().status()).isEqualTo(200);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
            assertThat(next.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
        }
    }

    @Test
    void aTunnelCountsUntilItIsClosed() throws IOException {
        try (RawServer nodes = RawServer.start();
                GatewayFixture gateway = limited(1, nodes.port()).start();
                RawClient other = gateway.connect()) {
            try (TunnelEnds tunnel = TunnelEnds.open(gateway, nodes)) {
                tunnel.pass("hello");
                assertThat(other.send(Ask.get("/")).readResponse().status()).isEqualTo(429);
                tunnel.pass("still there");
            }
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
            try (TunnelEnds tunnel = TunnelEnds.open(gateway, nodes)) {
                tunnel.pass("again");
            }
        }
    }
}
