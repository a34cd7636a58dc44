package net.oooops.sigma.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.config.StickyConfig;
import net.oooops.sigma.config.StickyConfig.SameSite;
import net.oooops.sigma.config.StickyConfig.Secure;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that show the cookie they were given stay at their node. */
@SuppressWarnings("try") // closed where the test says, not at the end of a block
class StickyCookieTest {
    private final List<ScriptedUpstream> nodes = new ArrayList<>();

    @BeforeEach
    void start() {
        for (int i = 0; i < 3; i++) {
            String name = String.valueOf((char) ('a' + i));
            nodes.add(
                    ScriptedUpstream.start(request -> Answer.of(request.target().equals("/fails") ? 500 : 200)
                            .header("Set-Cookie", "own=" + name)
                            .body(name)));
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(ScriptedUpstream::close);
    }

    private static SecretKey key(String text) {
        return new SecretKeySpec(text.getBytes(US_ASCII), "HmacSHA256");
    }

    private static StickyConfig cookie(@Nullable SecretKey key) {
        return new StickyConfig("node", "/", StickyConfig.SESSION, Secure.AUTO, true, SameSite.LAX, key);
    }

    private GatewayBuilder gateway(StickyConfig sticky) {
        return GatewayFixture.to(nodes.toArray(ScriptedUpstream[]::new)).sticky(sticky);
    }

    private static String get(String target, String cookies) {
        String field = cookies.isEmpty() ? "" : "Cookie: " + cookies + "\r\n";
        return "GET " + target + " HTTP/1.1\r\nHost: a.example\r\n" + field + "\r\n";
    }

    /** The name and value of the cookie that a response sets beside the node's own; empty where it sets none. */
    private static String set(RawResponse response) {
        List<String> values = response.headers().values("Set-Cookie");
        assertThat(values).contains("own=" + response.bodyText()).hasSizeLessThan(3);
        return values.size() < 2 ? "" : values.getLast().split(";", 2)[0];
    }

    private ScriptedUpstream node(RawResponse response) {
        return nodes.get(response.bodyText().charAt(0) - 'a');
    }

    @Test
    void whoShowsTheCookieStays() throws IOException {
        try (GatewayFixture gateway = gateway(cookie(null)).workers(2).start()) {
            for (int round = 0; round < 3; round++) {
                RawResponse first = ask(gateway, get("/", ""));
                String cookie = set(first);
                assertThat(cookie).matches("node=[A-Za-z0-9_-]{22}");
                for (int i = 0; i < 6; i++) {
                    RawResponse next = ask(gateway, get("/", "a=b; " + cookie));
                    assertThat(next.bodyText()).isEqualTo(first.bodyText());
                    assertThat(set(next)).as("it has it").isEmpty();
                }
            }
        }
    }

    private static RawResponse ask(GatewayFixture gateway, String request) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send(request).readResponse();
        }
    }

    @Test
    void nodesDoNotSeeIt() throws IOException {
        try (GatewayFixture gateway = gateway(cookie(null)).start();
                RawClient client = gateway.connect()) {
            String cookie = set(client.send(get("/", "")).readResponse());
            for (String cookies : List.of(
                    cookie,
                    cookie + "; a=b; c=d",
                    "a=b; " + cookie + "; c=d",
                    "a=b;" + cookie + ";;node=forged;c=d",
                    "a=b; c=d\r\nCookie: " + cookie)) {
                RawResponse response = client.send(get("/", cookies)).readResponse();
                ReceivedRequest seen = node(response).requests().getLast();
                assertThat(String.join("|", seen.headers().values("Cookie")))
                        .as(cookies)
                        .isEqualTo(cookies.equals(cookie) ? "" : "a=b; c=d");
                assertThat(seen.headers().values("Host")).containsExactly("a.example");
            }
        }
    }

    @Test
    void norWhereAPluginWroteTheCookiesAnew() throws IOException {
        Probe adding = Probe.probe().onRequest(exchange -> {
            List<String> values = exchange.request().values(FieldName.of("Cookie"));
            exchange.request().set(Field.of("Cookie", String.join("; ", values) + "; added=1"));
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = gateway(cookie(null))
                        .plugins(Probe.LOADER)
                        .route("/*", adding.config())
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse first = client.send(get("/", "a=b")).readResponse();
            for (int i = 0; i < 4; i++) {
                RawResponse next = client.send(get("/", set(first) + "; a=b")).readResponse();
                assertThat(next.bodyText()).isEqualTo(first.bodyText());
                assertThat(node(next).requests().getLast().headers().values("Cookie"))
                        .containsExactly("a=b; added=1");
            }
        }
    }

    @Test
    void whereItsNodeIsGoneTheClientGetsAnotherAndStaysThere() throws IOException {
        try (GatewayFixture gateway = gateway(cookie(null)).start();
                RawClient client = gateway.connect()) {
            RawResponse first = client.send(get("/", "")).readResponse();
            String old = set(first);
            node(first).close();
            RawResponse second = client.send(get("/", "a=b; " + old)).readResponse();
            assertThat(second.status()).isEqualTo(200);
            assertThat(second.bodyText()).isNotEqualTo(first.bodyText());
            assertThat(node(second).requests().getLast().headers().values("Cookie"))
                    .containsExactly("a=b");
            String fresh = set(second);
            assertThat(fresh).isNotEmpty().isNotEqualTo(old);
            for (int i = 0; i < 4; i++) {
                RawResponse next = client.send(get("/", fresh)).readResponse();
                assertThat(next.bodyText()).isEqualTo(second.bodyText());
                assertThat(set(next)).isEmpty();
            }
            // Of two, the one that names a node counts.
            assertThat(client.send(get("/", "node=x; " + fresh)).readResponse().bodyText())
                    .isEqualTo(second.bodyText());
        }
    }

    @Test
    void aCookieThatSigmaDidNotMakeIsNone() throws IOException {
        try (GatewayFixture gateway = gateway(cookie(null)).start();
                RawClient client = gateway.connect()) {
            String cookie = set(client.send(get("/", "")).readResponse());
            char last = cookie.charAt(cookie.length() - 2);
            String forged = cookie.substring(0, cookie.length() - 2) + (last == 'A' ? 'B' : 'A') + "A";
            StringBuilder order = new StringBuilder();
            for (int i = 0; i < 6; i++) {
                RawResponse response = client.send(get("/", forged)).readResponse();
                assertThat(set(response)).matches("node=[A-Za-z0-9_-]{22}").isNotEqualTo(forged);
                order.append(response.bodyText());
            }
            assertThat(order.toString()).isEqualTo("bcabca");
        }
    }

    @Test
    void gatewaysWithTheSameKeyKnowEachOthersCookies() throws IOException {
        try (GatewayFixture one = gateway(cookie(key("the key of the shop"))).start();
                GatewayFixture two =
                        gateway(cookie(key("the key of the shop"))).workers(2).start();
                GatewayFixture other = gateway(cookie(key("another key of it"))).start();
                RawClient client = one.connect()) {
            client.send(get("/", "")).readResponse();
            RawResponse second = client.send(get("/", "")).readResponse();
            for (int i = 0; i < 4; i++) {
                RawResponse there = ask(two, get("/", set(second)));
                assertThat(there.bodyText()).isEqualTo(second.bodyText());
                assertThat(set(there)).isEmpty();
            }
            assertThat(set(ask(other, get("/", set(second))))).isNotEmpty();
        }
    }

    @Test
    @Tag("plain")
    void itHasTheAttributesThatAreConfigured() throws IOException {
        assertThat(attributes(cookie(null), "")).isEqualTo("Path=/; HttpOnly; SameSite=Lax");
        assertThat(attributes(cookie(null), "X-Forwarded-Proto: https\r\n"))
                .isEqualTo("Path=/; Secure; HttpOnly; SameSite=Lax");
        StickyConfig open = new StickyConfig("n", "/shop", 3600, Secure.ALWAYS, false, SameSite.NONE, null);
        assertThat(attributes(open, "")).isEqualTo("Path=/shop; Max-Age=3600; Secure; SameSite=None");
        StickyConfig never = new StickyConfig("n", "/", 1, Secure.NEVER, true, SameSite.STRICT, null);
        assertThat(attributes(never, "X-Forwarded-Proto: https\r\n"))
                .isEqualTo("Path=/; Max-Age=1; HttpOnly; SameSite=Strict");
    }

    private String attributes(StickyConfig sticky, String fields) throws IOException {
        try (GatewayFixture gateway = gateway(sticky)
                        .allowForward(AllowForward.X_FORWARD, "127.0.0.1")
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n")
                    .readResponse();
            String line = response.headers().values("Set-Cookie").getLast();
            assertThat(line).startsWith(sticky.name() + "=");
            return line.split("; ", 2)[1];
        }
    }

    @Test
    void answersThatTellOfAFailureKeepNobody() throws IOException {
        try (GatewayFixture gateway = gateway(cookie(null)).withoutRetries().start();
                RawClient client = gateway.connect()) {
            assertThat(set(client.send(get("/fails", "")).readResponse())).isEmpty();
            RawResponse first = client.send(get("/", "")).readResponse();
            // Who is there already stays.
            RawResponse failed = client.send(get("/fails", set(first))).readResponse();
            assertThat(failed.bodyText()).isEqualTo(first.bodyText());
        }
    }

    @Test
    void answersOfSigmaAndItsPluginsSetNone() throws IOException {
        Probe answering = Probe.probe().onResponse(exchange -> Outcome.respond(Response.text(200, "plugin")));
        try (ScriptedUpstream broken = ScriptedUpstream.play(
                        Script.script().readRequest().close().repeat());
                GatewayFixture failing =
                        GatewayFixture.to(broken).sticky(cookie(null)).start();
                GatewayFixture answered = gateway(cookie(null))
                        .plugins(Probe.LOADER)
                        .route("/*", answering.config())
                        .start()) {
            RawResponse own = ask(failing, get("/", ""));
            assertThat(own.status()).isEqualTo(502);
            assertThat(own.headers().has("Set-Cookie")).isFalse();
            RawResponse plugins = ask(answered, get("/", ""));
            assertThat(plugins.bodyText()).isEqualTo("plugin");
            assertThat(plugins.headers().has("Set-Cookie")).isFalse();
        }
    }

    @Test
    void anotherTryLeavesItOutToo() throws IOException {
        // The first connection is closed as idle when the second request comes.
        try (ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script()
                                .readRequest()
                                .respond(200, "a")
                                .readRequest()
                                .close(),
                        Script.script().readRequest().respond(200, "a"));
                GatewayFixture gateway =
                        GatewayFixture.to(node).sticky(cookie(null)).start();
                RawClient client = gateway.connect()) {
            RawResponse first = client.send(get("/", "")).readResponse();
            String cookie = first.headers().values("Set-Cookie").getFirst().split(";", 2)[0];
            assertThat(client.send(get("/", "a=b; " + cookie)).readResponse().status())
                    .isEqualTo(200);
            assertThat(node.requests()).hasSize(3);
            assertThat(node.request(1).headers().values("Cookie")).containsExactly("a=b");
            assertThat(node.request(2).headers().values("Cookie")).containsExactly("a=b");
        }
    }
}
