package net.oooops.sigma.plugins.authentication;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The plugins in a gateway, by themselves and behind each other. */
class AuthenticatedRequestsTest {
    private static final String KEY = "0123456789abcdef";
    /** Of "U*U". */
    private static final String BCRYPT = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

    private static final String ADA = "Authorization: Basic YWRhOlUqVQ==";

    private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();
    private final ScriptedUpstream upstream = ScriptedUpstream.start(this::answer);

    private Answer answer(ReceivedRequest request) {
        received.add(request);
        return Answer.ok("hello");
    }

    @BeforeEach
    void forget() {
        received.clear();
    }

    @AfterEach
    void stop() {
        upstream.close();
    }

    private static PluginConfig keyAuth(Map<String, ?> more) {
        return plugin("key-auth", Map.of("id", "shop", "keys", List.of(KEY)), more);
    }

    private static PluginConfig basicAuth(Map<String, ?> more) {
        return plugin("basic-auth", Map.of("id", "ada", "password", BCRYPT), more);
    }

    private static PluginConfig plugin(String name, Map<String, ?> consumer, Map<String, ?> more) {
        Map<String, Object> settings = new HashMap<>(Map.of("consumers", List.of(consumer)));
        settings.putAll(more);
        return GatewayFixture.plugin(name, settings);
    }

    private GatewayFixture gateway(PluginConfig... plugins) {
        return GatewayFixture.to(upstream).route("/*", plugins).start();
    }

    private static String get(String target, String... fields) {
        return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + String.join("\r\n", fields)
                + (fields.length > 0 ? "\r\n" : "") + "\r\n";
    }

    private List<String> lines(int index) {
        return received.get(index).head().lines().toList();
    }

    @Test
    void aKeyGetsToNoNodeAndItsConsumerDoes() throws IOException {
        try (GatewayFixture gateway = gateway(keyAuth(Map.of()));
                RawClient client = gateway.connect()) {
            RawResponse refused = client.send(get("/a", "X-Consumer-Id: root")).readResponse();
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.head().text().lines()).contains("WWW-Authenticate: ApiKey realm=\"sigma\"");
            assertThat(client.send(get("/a", "X-Api-Key: " + KEY, "X_Api-Key: " + KEY))
                            .readResponse()
                            .status())
                    .isEqualTo(200);
            client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse("HEAD").status()).isEqualTo(401);
        }
        assertThat(received).hasSize(1);
        assertThat(lines(0)).contains("X-Consumer-Id: shop").noneMatch(line -> line.contains(KEY));
    }

    @Test
    void aKeyInTheQueryIsTakenOutOfIt() throws IOException {
        try (GatewayFixture gateway = gateway(keyAuth(Map.of("from", List.of(Map.of("query", "key")))));
                RawClient client = gateway.connect()) {
            assertThat(client.send(get("/a?b=c&key=" + KEY + "&d"))
                            .readResponse()
                            .status())
                    .isEqualTo(200);
            assertThat(client.send(get("/a?q=100%&key=" + KEY + "&%zz"))
                            .readResponse()
                            .status())
                    .isEqualTo(200);
        }
        assertThat(received).map(ReceivedRequest::target).containsExactly("/a?b=c&d", "/a?q=100%&%zz");
    }

    @Test
    void aPasswordIsHashedOffTheLoopAndThenRemembered() throws IOException {
        try (GatewayFixture gateway = gateway(basicAuth(Map.of()));
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(get("/a", ADA)).readResponse().status()).isEqualTo(200);
            }
            RawResponse refused =
                    client.send(get("/a", "Authorization: Basic YWRhOlUqVg==")).readResponse();
            assertThat(refused.status()).isEqualTo(401);
            assertThat(client.send(get("/a", ADA)).readResponse().status()).isEqualTo(200);
        }
        assertThat(received).hasSize(4);
        assertThat(lines(0)).contains("X-Consumer-Id: ada").noneMatch(line -> line.startsWith("Authorization"));
    }

    /** A client that doesn't wait for its answer leaves nothing behind, and others go on. */
    @Test
    void clientsThatGoAwayWhileTheirPasswordIsHashedHarmNobody() throws IOException {
        try (GatewayFixture gateway = gateway(basicAuth(Map.of("remembered", 0, "waiting-per-client", 100)))) {
            List<RawClient> gone = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                gone.add(gateway.connect().send(get("/a", "Authorization: Basic YWRhOlUqV" + (char) ('A' + i) + "==")));
            }
            for (RawClient each : gone) {
                each.close();
            }
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(get("/a", ADA)).readResponse().status()).isEqualTo(200);
            }
        }
        assertThat(received)
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.head().lines()).contains("X-Consumer-Id: ada"));
    }

    @Test
    void eachOfSeveralAsksForItsOwn() throws IOException {
        try (GatewayFixture gateway = gateway(keyAuth(Map.of()), basicAuth(Map.of()));
                RawClient client = gateway.connect()) {
            assertThat(client.send(get("/a", "X-Api-Key: " + KEY))
                            .readResponse()
                            .status())
                    .isEqualTo(401);
            assertThat(client.send(get("/a", ADA)).readResponse().status()).isEqualTo(401);
            assertThat(client.send(get("/a", ADA, "X-Api-Key: " + KEY))
                            .readResponse()
                            .status())
                    .isEqualTo(200);
        }
        assertThat(lines(0)).contains("X-Consumer-Id: ada").doesNotContain("X-Consumer-Id: shop");
    }

    @Test
    void oneOfSeveralIsEnoughWhereThatIsSaid() throws IOException {
        try (GatewayFixture gateway =
                        gateway(keyAuth(Map.of("optional", true)), basicAuth(Map.of("unless-known", true)));
                RawClient client = gateway.connect()) {
            assertThat(client.send(get("/a", "X-Api-Key: " + KEY))
                            .readResponse()
                            .status())
                    .isEqualTo(200);
            assertThat(client.send(get("/a", ADA)).readResponse().status()).isEqualTo(200);
            assertThat(client.send(get("/a")).readResponse().status()).isEqualTo(401);
            assertThat(client.send(get("/a", ADA, "X-Api-Key: wrong-wrong-wrong-wrong"))
                            .readResponse()
                            .status())
                    .isEqualTo(401);
        }
        assertThat(lines(0)).contains("X-Consumer-Id: shop");
        assertThat(lines(1)).contains("X-Consumer-Id: ada");
    }

    @Test
    void preflightsAreAnsweredByCorsBefore() throws IOException {
        PluginConfig cors = GatewayFixture.plugin("cors", Map.of("allow-origins", List.of("https://a.example")));
        try (GatewayFixture gateway = gateway(cors, keyAuth(Map.of()));
                RawClient client = gateway.connect()) {
            String preflight = "OPTIONS /a HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n"
                    + "Access-Control-Request-Method: GET\r\n\r\n";
            assertThat(client.send(preflight).readResponse().status()).isEqualTo(204);
            RawResponse refused =
                    client.send(get("/a", "Origin: https://a.example")).readResponse();
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.head().text().lines()).contains("Access-Control-Allow-Origin: https://a.example");
        }
    }
}
