package net.oooops.sigma.plugins.trafficsplit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is sent where, and stays there. */
class TrafficSplitTest {
    private static final int MANY = 20_000;

    private static PluginHarness split(Map<String, Object> settings) {
        return PluginHarness.of(new TrafficSplitFactory(), settings);
    }

    private static Map<String, Object> to(String id, Number percent) {
        return Map.of("proxy-pass-id", id, "percent", percent);
    }

    private static @Nullable String sent(PluginHarness harness, TestExchange exchange) throws Exception {
        harness.request(exchange);
        return exchange.sentTo();
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "address", "consumer", "header"})
    void eachWayGetsItsPart(String by) throws Exception {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("splits", List.of(to("a", 10), to("b", 2.5)));
        settings.put("by", by);
        if (by.equals("header")) {
            settings.put("header", "X-User");
        }
        PluginHarness harness = split(settings);
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (int i = 0; i < MANY; i++) {
            TestExchange exchange = TestExchange.of("GET", "/", "X-User: user-" + i)
                    .withAddresses("10.0." + i / 256 + "." + i % 256, "127.0.0.1")
                    .withConsumer(Consumer.of("user-" + i));
            counts.merge(String.valueOf(sent(harness, exchange)), 1, Integer::sum);
        }
        assertThat(counts.getOrDefault("a", 0) / (double) MANY).isCloseTo(0.1, within(0.01));
        assertThat(counts.getOrDefault("b", 0) / (double) MANY).isCloseTo(0.025, within(0.005));
        assertThat(counts).containsOnlyKeys("a", "b", "null");
    }

    @Test
    void whoHasItInCommonGoesTheSameWay() throws Exception {
        PluginHarness one = split(Map.of("splits", List.of(to("a", 50)), "by", "address"));
        PluginHarness same = split(Map.of("splits", List.of(to("a", 50)), "by", "address"));
        PluginHarness more = split(Map.of("splits", List.of(to("a", 70)), "by", "address"));
        PluginHarness other = split(Map.of("splits", List.of(to("a", 50)), "by", "address", "seed", "x"));
        int different = 0;
        for (int i = 0; i < 1000; i++) {
            String address = "2001:db8::" + Integer.toHexString(i);
            String way = sent(one, TestExchange.of("GET", "/").withAddresses(address, "127.0.0.1"));
            assertThat(sent(same, TestExchange.of("GET", "/x").withAddresses(address, "127.0.0.1")))
                    .isEqualTo(way);
            if (way != null) {
                assertThat(sent(more, TestExchange.of("GET", "/").withAddresses(address, "127.0.0.1")))
                        .as("who is there stays there where the part grows")
                        .isEqualTo(way);
            }
            String elsewhere = sent(other, TestExchange.of("GET", "/").withAddresses(address, "127.0.0.1"));
            different += Objects.equals(elsewhere, way) ? 0 : 1;
        }
        assertThat(different).as("another seed chooses others").isBetween(400, 600);
    }

    @Test
    void whoHasNothingToGoByGoesByChance() throws Exception {
        PluginHarness harness = split(Map.of("splits", List.of(to("a", 50)), "by", "header", "header", "X-User"));
        int sent = 0;
        for (int i = 0; i < 1000; i++) {
            sent += sent(harness, TestExchange.of("GET", "/")) == null ? 0 : 1;
        }
        assertThat(sent).isBetween(400, 600);
    }

    @Test
    void noneAndAllAreExact() throws Exception {
        PluginHarness none = split(Map.of("splits", List.of(to("a", 0))));
        PluginHarness all = split(Map.of("splits", List.of(to("a", 0), to("b", 100))));
        for (int i = 0; i < MANY; i++) {
            assertThat(sent(none, TestExchange.of("GET", "/"))).isNull();
            assertThat(sent(all, TestExchange.of("GET", "/"))).isEqualTo("b");
        }
    }

    @Test
    void aCookieKeepsAClientOnItsWay() throws Exception {
        PluginHarness harness = split(Map.of("splits", List.of(to("a", 50)), "cookie", "way", "max-age", "1h"));
        boolean[] seen = new boolean[2];
        for (int i = 0; i < 200; i++) {
            TestExchange first = TestExchange.of("GET", "/", "Cookie: other=1; wayward=a");
            String way = sent(harness, first);
            harness.response(first, 200);
            String value = way == null ? "-" : way;
            assertThat(first.response().lines())
                    .containsExactly("Set-Cookie: way=" + value + "; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax");
            TestExchange next = TestExchange.of("GET", "/", "Cookie: other=1;way=" + value);
            assertThat(sent(harness, next)).isEqualTo(way);
            harness.response(next, 200);
            assertThat(next.response().lines()).as("it has one").isEmpty();
            seen[way == null ? 0 : 1] = true;
        }
        assertThat(seen).containsOnly(true);
    }

    @Test
    void theCookieIsSecureOverHttps() throws Exception {
        PluginHarness harness = split(Map.of("splits", List.of(to("a", 100)), "cookie", "way"));
        TestExchange exchange = TestExchange.of("GET", "/").withScheme("https");
        sent(harness, exchange);
        harness.response(exchange, 200);
        assertThat(exchange.response().lines())
                .containsExactly("Set-Cookie: way=a; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure");
    }

    @ParameterizedTest
    @ValueSource(strings = {"way=gone", "way=", "way", "way=a b", "Way=a", "xway=a"})
    void aCookieThatNamesNoWayIsReplaced(String cookie) throws Exception {
        PluginHarness harness = split(Map.of("splits", List.of(to("a", 0)), "cookie", "way"));
        TestExchange exchange = TestExchange.of("GET", "/", "Cookie: " + cookie);
        assertThat(sent(harness, exchange)).isNull();
        harness.response(exchange, 200);
        assertThat(exchange.response().lines()).singleElement().asString().startsWith("Set-Cookie: way=-;");
    }

    @Test
    void aWayThatIsClosedIsNotFollowed() throws Exception {
        PluginHarness closed = split(Map.of("splits", List.of(to("a", 0)), "cookie", "way"));
        assertThat(sent(closed, TestExchange.of("GET", "/", "Cookie: way=a"))).isNull();
        PluginHarness off = split(Map.of("splits", List.of(to("a", 100)), "cookie", "way"));
        TestExchange exchange = TestExchange.of("GET", "/").withoutTarget("a");
        assertThat(sent(off, exchange)).isNull();
        off.response(exchange, 200);
        assertThat(exchange.response().lines()).as("it may be there again soon").isEmpty();
    }

    @Test
    void settingsThatCantBeUsedAreNamed() {
        List<Map<String, Object>> wrong = new ArrayList<>();
        wrong.add(Map.of("splits", List.of(to("a", 60), to("b", 50))));
        wrong.add(Map.of("splits", List.of(to("a", 0.001))));
        wrong.add(Map.of("splits", List.of(to("a", 1)), "by", "header"));
        wrong.add(Map.of("splits", List.of(to("a", 1)), "header", "X-User"));
        wrong.add(Map.of("splits", List.of(to("a", 1)), "by", "header", "header", "not a name"));
        wrong.add(Map.of("splits", List.of(to("a;b", 1)), "cookie", "way"));
        for (Map<String, Object> settings : wrong) {
            assertThatThrownBy(() -> new TrafficSplitFactory().create(Settings.of(settings), new TestContext()))
                    .as(settings.toString())
                    .isInstanceOf(SettingsException.class);
        }
    }

    private static String json(ScriptedUpstream stable, ScriptedUpstream next, String split) {
        return """
                {
                  "proxy-server": { "http": { "id": "web" } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [
                    { "id": "a", "path": "/*", "proxy-pass-id": "stable", "plugin": {
                      "traffic-split": %s, "headers": { "request": { "set": { "X-Seen": "1" } } }
                    } }
                  ] }],
                  "proxy-pass": [
                    { "id": "stable", "upstream-id": "stable" },
                    { "id": "next", "upstream-id": "next" }
                  ],
                  "upstream": [
                    { "id": "stable", "nodes": ["http://127.0.0.1:%d"] },
                    { "id": "next", "nodes": ["http://127.0.0.1:%d"] }
                  ]
                }
                """.formatted(split, stable.port(), next.port());
    }

    private static String all(int percent) {
        return "{ \"splits\": [{ \"proxy-pass-id\": \"next\", \"percent\": " + percent + " }], \"cookie\": \"way\" }";
    }

    @Test
    void requestsGoWhereTheyAreSent() throws IOException {
        try (ScriptedUpstream stable = ScriptedUpstream.start(request -> Answer.ok("stable"));
                ScriptedUpstream next =
                        ScriptedUpstream.start(request -> Answer.ok("next " + request.header("X-Seen")));
                TextGateway gateway = TextGateway.start(json(stable, next, all(50)));
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 100; i++) {
                RawResponse first =
                        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
                String cookie =
                        String.valueOf(first.headers().first("Set-Cookie")).replaceFirst(";.*", "");
                assertThat(first.bodyText()).isEqualTo(cookie.equals("way=next") ? "next 1" : "stable");
                String again = client.send(
                                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nCookie: " + cookie + "\r\n\r\nab")
                        .readResponse()
                        .bodyText();
                assertThat(again).isEqualTo(first.bodyText());
            }
            assertThat(stable.connectionCount()).isPositive();
            assertThat(next.connectionCount()).isPositive();
        }
    }

    /** A Route may do without a proxy-pass of its own: who isn't sent anywhere is answered by Sigma. */
    @Test
    void aRouteMayLeaveWhereToToItsPlugins() throws IOException {
        try (ScriptedUpstream stable = ScriptedUpstream.start(request -> Answer.ok("stable"));
                ScriptedUpstream next = ScriptedUpstream.start(request -> Answer.ok("next"))) {
            String own = ", \"proxy-pass-id\": \"stable\"";
            assertThat(json(stable, next, all(100))).contains(own);
            String sent = json(stable, next, all(100)).replace(own, "");
            String left = json(stable, next, all(0)).replace(own, "");
            assertThat(answer(sent).bodyText()).isEqualTo("next");
            assertThat(answer(left).status()).isEqualTo(404);
        }
    }

    private static RawResponse answer(String json) throws IOException {
        try (TextGateway gateway = TextGateway.start(json);
                RawClient client = gateway.connect()) {
            return client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
        }
    }
}
