package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.config.HashConfig;
import net.oooops.sigma.config.HashConfig.By;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that have something in common go to the same of four real nodes, on every Worker. */
@SuppressWarnings("try") // closed where the test says, not at the end of a block
class AffinityTest {
    private static final int KEYS = 24;

    private final List<ScriptedUpstream> nodes = new ArrayList<>();
    private final Gate gate = new Gate();

    @BeforeEach
    void start() {
        for (int i = 0; i < 4; i++) {
            String name = String.valueOf((char) ('a' + i));
            nodes.add(ScriptedUpstream.start(request -> {
                if (request.target().endsWith("hold")) {
                    gate.pass();
                }
                return Answer.ok(name);
            }));
        }
    }

    @AfterEach
    void stop() {
        gate.release();
        nodes.forEach(ScriptedUpstream::close);
    }

    private GatewayBuilder gateway() {
        return GatewayFixture.to(nodes.toArray(ScriptedUpstream[]::new)).workers(2);
    }

    private GatewayBuilder by(By by, String name) {
        return gateway().hash(new HashConfig(by, name, 1.25));
    }

    private static String get(String target, String fields) {
        return "GET " + target + " HTTP/1.1\r\nHost: a.example\r\n" + fields + "\r\n";
    }

    private static String ask(GatewayFixture gateway, String request) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send(request).readResponse().bodyText();
        }
    }

    /** The node of each request, which is the same for connections that come to different Workers. */
    private static String nodesOf(GatewayFixture gateway, IntFunction<String> request) throws IOException {
        StringBuilder first = new StringBuilder();
        for (int round = 0; round < 3; round++) {
            StringBuilder of = new StringBuilder();
            for (int i = 0; i < KEYS; i++) {
                of.append(ask(gateway, request.apply(i)));
            }
            if (round == 0) {
                first = of;
            }
            assertThat(of.toString()).isEqualTo(first.toString()).hasSize(KEYS);
        }
        assertThat(first.chars().distinct().count()).isGreaterThan(2);
        return first.toString();
    }

    @Test
    void aField() throws IOException {
        try (GatewayFixture gateway = by(By.FIELD, "X-User").start()) {
            String of = nodesOf(gateway, i -> get("/" + i, "x-USER:  " + i + "\r\nX-User: other\r\n"));
            assertThat(nodesOf(gateway, i -> get("/", "A: b\r\nX-User: " + i + "\r\n")))
                    .isEqualTo(of);
        }
    }

    @Test
    void aCookie() throws IOException {
        try (GatewayFixture gateway = by(By.COOKIE, "user").start()) {
            String of = nodesOf(gateway, i -> get("/" + i, "Cookie: a=" + i + "; user=" + i + "; b=c\r\n"));
            assertThat(nodesOf(gateway, i -> get("/", "Cookie: a=b\r\nCookie: user=" + i + "\r\n")))
                    .isEqualTo(of);
        }
    }

    @Test
    void aQueryParameter() throws IOException {
        try (GatewayFixture gateway = by(By.QUERY, "user").start()) {
            String of = nodesOf(gateway, i -> get("/" + i + "?a=b&user=u+" + i, ""));
            assertThat(nodesOf(gateway, i -> get("/?u%73er=u%20" + i + "&c=" + i, "")))
                    .isEqualTo(of);
        }
    }

    @Test
    void thePathWithoutItsQuery() throws IOException {
        try (GatewayFixture gateway = by(By.PATH, "").start()) {
            String of = nodesOf(gateway, i -> get("/some/" + i + "?q=" + i, ""));
            assertThat(nodesOf(gateway, i -> get("/./some/%6eothing/../" + i, "")))
                    .isEqualTo(of);
        }
    }

    @Test
    void theHost() throws IOException {
        try (GatewayFixture gateway = by(By.FIELD, "Host").start()) {
            String of = nodesOf(gateway, i -> "GET / HTTP/1.1\r\nHost: h" + i + ".example\r\n\r\n");
            assertThat(nodesOf(gateway, i -> "GET http://H" + i + ".Example:80/ HTTP/1.1\r\nHost: x\r\n\r\n"))
                    .isEqualTo(of);
        }
    }

    @Test
    void aFieldThatAPluginWrites() throws IOException {
        Probe named = Probe.probe().onRequest(exchange -> {
            String path = exchange.request().path();
            exchange.request().set(Field.of("X-User", path.substring(1)));
            return Outcome.CONTINUE;
        });
        try (GatewayFixture plain = by(By.FIELD, "X-User").start();
                GatewayFixture gateway = by(By.FIELD, "X-User")
                        .plugins(Probe.LOADER)
                        .route("/*", named.config())
                        .start()) {
            String of = nodesOf(plain, i -> get("/", "X-User: " + i + "\r\n"));
            assertThat(nodesOf(gateway, i -> get("/" + i, "X-User: claimed\r\n")))
                    .isEqualTo(of);
        }
    }

    @Test
    void theClientsAddress() throws IOException {
        for (GatewayBuilder builder :
                List.of(gateway().strategy(RuleStrategy.SOURCE_HASH), by(By.CLIENT_ADDRESS, ""))) {
            try (GatewayFixture gateway = builder.start()) {
                String first = nodesOfAddresses(gateway, "203.0.113.1");
                assertThat(nodesOfAddresses(gateway, "203.0.113.2")).isEqualTo(first);
                assertThat(first.chars().distinct().count()).isGreaterThan(2);
            }
        }
    }

    /** Which node each of many addresses leads to; what they claim to be is believed of nobody here. */
    private static String nodesOfAddresses(GatewayFixture gateway, String claimed) throws IOException {
        StringBuilder nodes = new StringBuilder();
        for (int i = 1; i <= KEYS; i++) {
            ClientOptions from = ClientOptions.defaults().withLocalHost("127.0.0." + i);
            try (RawClient client = RawClient.connect(gateway.port(), from)) {
                String request = get("/", "X-Forwarded-For: " + claimed + "\r\n");
                nodes.append(client.send(request).readResponse().bodyText());
            }
        }
        return nodes.toString();
    }

    @Test
    void theAddressThatATrustedProxyTells() throws IOException {
        for (GatewayBuilder builder :
                List.of(gateway().strategy(RuleStrategy.SOURCE_HASH), by(By.CLIENT_ADDRESS, ""))) {
            try (GatewayFixture gateway =
                    builder.allowForward(AllowForward.ALL, "127.0.0.0/8").start()) {
                String of = nodesOf(
                        gateway, i -> get("/", "X-Forwarded-For: 203.0.113.99, 198.51.100." + i + ", 127.0.0.9\r\n"));
                assertThat(nodesOf(gateway, i -> get("/", "Forwarded: for=\"198.51.100." + i + ":1\"\r\n")))
                        .isEqualTo(of);
            }
        }
    }

    @Test
    void withoutTheKeyRequestsTakeTurns() throws IOException {
        try (GatewayFixture gateway = by(By.COOKIE, "user").workers(1).start();
                RawClient client = gateway.connect()) {
            StringBuilder of = new StringBuilder();
            for (int i = 0; i < 8; i++) {
                String nothing = i % 2 == 0 ? "" : "Cookie: user=; a=b\r\n";
                of.append(client.send(get("/", nothing)).readResponse().bodyText());
            }
            assertThat(of.toString()).isEqualTo("abcdabcd");
        }
    }

    @Test
    void theKeysOfANodeThatCannotBeReachedGoToTheOthersAndNoOthersMove() throws IOException {
        try (GatewayFixture gateway = by(By.FIELD, "X-User").start()) {
            String before = nodesOf(gateway, i -> get("/", "X-User: " + i + "\r\n"));
            char gone = before.charAt(0);
            nodes.get(gone - 'a').close();
            String after = nodesOf(gateway, i -> get("/", "X-User: " + i + "\r\n"));
            for (int i = 0; i < KEYS; i++) {
                if (before.charAt(i) == gone) {
                    assertThat(after.charAt(i)).isNotEqualTo(gone);
                } else {
                    assertThat(after.charAt(i)).isEqualTo(before.charAt(i));
                }
            }
        }
    }

    @Test
    void aNodeThatHasTooMuchToDoPassesItsKeysOn() throws IOException {
        try (GatewayFixture gateway = by(By.FIELD, "X-User").workers(1).start();
                RawClient client = gateway.connect()) {
            String request = get("/", "X-User: one\r\n");
            ScriptedUpstream first = node(client.send(request).readResponse().bodyText());
            List<RawClient> holding = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                RawClient held = gateway.connect();
                held.send(get("/hold", "X-User: one\r\n"));
                holding.add(held);
                first.awaitRequests(2 + i);
            }
            ScriptedUpstream next = node(client.send(request).readResponse().bodyText());
            assertThat(next).isNotSameAs(first);
            gate.release();
            for (RawClient held : holding) {
                held.readResponse();
                held.close();
            }
            assertThat(node(client.send(request).readResponse().bodyText())).isSameAs(first);
        }
    }

    private ScriptedUpstream node(String name) {
        return nodes.get(name.charAt(0) - 'a');
    }
}
