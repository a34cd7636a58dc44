package net.oooops.sigma.plugins.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

/** Copies go to other nodes, and nobody feels it. */
class MirrorTest {
    private final List<ReceivedRequest> copies = new CopyOnWriteArrayList<>();

    private static TextGateway gateway(int node, int next, String settings) {
        return TextGateway.start(json(node, next, settings));
    }

    private static String json(int node, int next, String settings) {
        return """
                {
                  "proxy-server": { "http": { "id": "web" } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [
                    { "id": "a", "path": "/*", "proxy-pass-id": "node", "plugin": {
                      "rewrite-path": { "regexp": "^/api", "replacement": "" },
                      "mirror": { "proxy-pass-id": "next"%s } } }
                  ] }],
                  "proxy-pass": [
                    { "id": "node", "upstream-id": "node" },
                    { "id": "next", "upstream-id": "next" }
                  ],
                  "upstream": [
                    { "id": "node", "nodes": ["http://127.0.0.1:%d"] },
                    { "id": "next", "nodes": ["http://127.0.0.1:%d"] }
                  ]
                }
                """.formatted(settings, node, next);
    }

    private ScriptedUpstream next() {
        return ScriptedUpstream.start(request -> {
            copies.add(request);
            return Answer.of(500).body("nobody reads this");
        });
    }

    @Test
    void aCopyIsWhatTheNodeGets() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));
                ScriptedUpstream next = next();
                TextGateway gateway = gateway(node.port(), next.port(), "");
                RawClient client = gateway.connect()) {
            String fields = " HTTP/1.1\r\nHost: example.org\r\nX-A: 1\r\nX-A: 2\r\nX-Forwarded-For: 9.9.9.9\r\n";
            client.send("GET /api/b?c=d" + fields + "\r\n").readResponse();
            Await.until("a copy", () -> copies.size() == 1);
            client.send("PUT /api/b" + fields + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
                    .readResponse();
            Await.until("another", () -> copies.size() == 2);
        }
        ReceivedRequest got = copies.getFirst();
        assertThat(got.method() + " " + got.target()).isEqualTo("GET /b?c=d");
        assertThat(got.header("Host")).isEqualTo("example.org");
        assertThat(got.headers().values("X-A")).containsExactly("1", "2");
        assertThat(got.headers().values("X-Forwarded-For")).containsExactly("127.0.0.1");
        assertThat(got.bodyBytes()).isZero();
        ReceivedRequest put = copies.getLast();
        assertThat(put.method()).isEqualTo("PUT");
        assertThat(put.bodyText()).isEqualTo("abcde");
        assertThat(put.header("Content-Length")).isEqualTo("5");
    }

    @Test
    void whatIsTooLargeOrCutIsNotCopied() throws IOException {
        CountDownLatch here = new CountDownLatch(1);
        try (ScriptedUpstream node = ScriptedUpstream.startOnHead(request -> {
                    here.countDown();
                    return Answer.ok("hello");
                });
                ScriptedUpstream next = next();
                TextGateway gateway = gateway(node.port(), next.port(), ", \"max-body\": \"4B\"")) {
            try (RawClient client = gateway.connect()) {
                client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde")
                        .readResponse();
            }
            try (RawClient client = gateway.connect()) {
                client.send("POST /cut HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab");
                client.reset();
            }
            try (RawClient client = gateway.connect()) {
                client.send("POST /last HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd")
                        .readResponse();
            }
            Await.until("the last", () -> copies.size() == 1);
        }
        assertThat(copies).hasSize(1);
        assertThat(copies.getFirst().target()).isEqualTo("/last");
    }

    @Test
    void inShadowEachCopyIsToldAndNoneIsSentOrCounted() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));
                ScriptedUpstream next = next();
                TextGateway gateway = gateway(node.port(), next.port(), ", \"mode\": \"shadow\", \"max-copies\": 1");
                RawClient client = gateway.connect()) {
            for (int i = 1; i <= 2; i++) {
                client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")
                        .readResponse();
                Counters.Shadow copied = new Counters.Shadow("mirror", "effect", 0, "copy", i);
                Await.until(
                        copied.toString(), () -> gateway.counters().shadows().equals(List.of(copied)));
            }
            assertThat(gateway.pluginReadings())
                    .filteredOn(reading -> reading.plugin().equals("mirror"))
                    .isNotEmpty()
                    .allMatch(reading -> reading.value() == 0);
        }
        assertThat(copies).isEmpty();
    }

    /** Nodes of copies that hang or are gone hold so many places, and no request. */
    @Test
    void nobodyWaitsForCopies() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));
                ScriptedUpstream next = ScriptedUpstream.start(request -> {
                    copies.add(request);
                    end.await(10, TimeUnit.SECONDS);
                    return Answer.ok("late");
                });
                TextGateway gateway = gateway(node.port(), next.port(), ", \"max-copies\": 3");
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                                .readResponse()
                                .status())
                        .isEqualTo(200);
            }
            Await.until("as many as may", () -> copies.size() == 3);
            end.countDown();
            Await.until("room again", () -> isCopied(client));
        }
    }

    /** What has no path of its own is left alone, and holds no place. */
    @Test
    void asterisksAreLeftAlone() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));
                ScriptedUpstream next = next();
                TextGateway gateway = gateway(node.port(), next.port(), ", \"max-copies\": 1");
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            }
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            Await.until("a copy", () -> copies.size() == 1);
        }
        assertThat(copies.getFirst().target()).isEqualTo("/a");
    }

    /** A copy without the body that it says would do something else than the request. */
    @Test
    void whatNoNodeHasGotIsNotCopied() throws IOException {
        String post = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde";
        try (ScriptedUpstream next = next();
                PortHold nobody = ScriptedUpstream.refusedPort();
                TextGateway gateway = gateway(nobody.port(), next.port(), "");
                RawClient client = gateway.connect()) {
            assertThat(client.send(post).readResponse().status()).isIn(502, 503);
        }
        assertThat(copies).isEmpty();
    }

    /** Behind a trusted proxy nothing is said twice. */
    @Test
    void whatProxiesSayIsSaidOnce() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));
                ScriptedUpstream next = next();
                TextGateway gateway = TextGateway.start(
                        json(node.port(), next.port(), "")
                                .replace(
                                        "\"id\": \"r\",",
                                        "\"id\": \"r\", \"allow-forward\": \"x-forward\", \"trusted-proxies\": [\"127.0.0.1\"],"));
                RawClient client = gateway.connect()) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nVia: 1.1 lb\r\nX-Forwarded-For: 9.9.9.9\r\n"
                            + "X-Forwarded-Proto: https\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n")
                    .readResponse();
            Await.until("a copy", () -> copies.size() == 1);
            ReceivedRequest request = node.request(0);
            ReceivedRequest copy = copies.getFirst();
            for (String name : List.of("X-Forwarded-For", "X-Forwarded-Proto", "Via", "X-Hop")) {
                assertThat(copy.headers().values(name))
                        .as(name)
                        .isEqualTo(request.headers().values(name));
            }
        }
    }

    /** RFC 9110 section 7.6.1: what Connection names goes no further; but for what it can't name away, which the node gets, too. */
    @Test
    void theCopyLacksWhatConnectionNamesAsTheRequestDoes() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));
                ScriptedUpstream next = next();
                TextGateway gateway = TextGateway.start(json(node.port(), next.port(), ""));
                RawClient client = gateway.connect()) {
            client.send(
                            "GET /a HTTP/1.1\r\nHost: a\r\nConnection: X-Hop, Authorization,, @\r\nConnection: x-other , Cookie\r\n"
                                    + "X-Hop: 1\r\nx-hop: 2\r\nX-Other: 1\r\nX-Stays: 1\r\nCookie: a=b\r\nAuthorization: Basic eA==\r\n"
                                    + "Keep-Alive: 1\r\nProxy-Authorization: x\r\nHTTP2-Settings: x\r\n\r\n")
                    .readResponse();
            Await.until("a copy", () -> copies.size() == 1);
            assertThat(node.request(0).headers().has("Authorization")).isTrue();
            assertThat(copies.getFirst().headers().names())
                    .containsExactlyInAnyOrderElementsOf(
                            node.request(0).headers().names());
        }
    }

    /** A copy follows what its request did, though its upstream has gone meanwhile, and another one come. */
    @Test
    void aCopyFollowsItsRequest() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> {
                    gate.pass();
                    return Answer.ok("hello");
                });
                ScriptedUpstream next = next();
                ScriptedUpstream other = ScriptedUpstream.start(request -> Answer.ok("other"));
                TextGateway gateway = gateway(node.port(), next.port(), "");
                RawClient client = gateway.connect()) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            node.awaitRequests(1);
            String without = json(node.port(), other.port(), "")
                    .replace("\"mirror\": { \"proxy-pass-id\": \"next\" }", "\"x-frame\": \"DENY\"")
                    .replace("\"next\"", "\"later\"");
            assertThat(without).doesNotContain("mirror").contains("later");
            gateway.reload(without);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("hello");
            Await.until("a copy", () -> copies.size() == 1);
            assertThat(other.connectionCount()).isZero();
        }
    }

    private boolean isCopied(RawClient client) {
        try {
            client.send("GET /again HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return copies.size() > 3;
    }

    @Test
    void nodesThatAreGoneAreNobodysConcern() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("hello"));
                PortHold nobody = ScriptedUpstream.refusedPort();
                TextGateway gateway = gateway(node.port(), nobody.port(), "");
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                                .readResponse()
                                .bodyText())
                        .isEqualTo("hello");
            }
        }
    }

    @Test
    void aPartIsCopied() throws Exception {
        PluginHarness harness = PluginHarness.of(new MirrorFactory(), Map.of("proxy-pass-id", "next", "percent", 12.5));
        int copied = 0;
        for (int i = 0; i < 20_000; i++) {
            TestExchange exchange = TestExchange.of("GET", "/");
            harness.request(exchange);
            harness.end(exchange);
            copied += exchange.called().size();
        }
        assertThat(copied / 20_000.0).isCloseTo(0.125, within(0.02));
    }

    @Test
    void settingsThatCantBeUsedAreNamed() {
        for (Map<String, Object> settings : List.<Map<String, Object>>of(
                Map.of("proxy-pass-id", "a", "percent", 0.001),
                Map.of("proxy-pass-id", "a", "max-body", "17MiB"),
                Map.of("proxy-pass-id", "a", "max-body", "1MiB"),
                Map.of("proxy-pass-id", "a", "max-copies", 1025))) {
            assertThatThrownBy(() -> new MirrorFactory().create(Settings.of(settings), new TestContext()))
                    .as(settings.toString())
                    .isInstanceOf(SettingsException.class);
        }
    }
}
