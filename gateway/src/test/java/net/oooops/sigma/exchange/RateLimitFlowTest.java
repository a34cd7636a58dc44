package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that are too many, with real sockets. */
class RateLimitFlowTest {
    private final ScriptedUpstream upstream =
            ScriptedUpstream.start(request -> request.target().matches("/[0-9]{3}")
                    ? Answer.of(Integer.parseInt(request.target().substring(1)))
                    : Answer.ok("hello"));

    @AfterEach
    void stop() {
        upstream.close();
    }

    private GatewayBuilder limited(int requests, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("limits", List.of(Map.of("requests", requests, "per", "1h")));
        return GatewayFixture.to(upstream).route("/*", GatewayFixture.plugin("rate-limit", settings));
    }

    private static String get(String fields) {
        return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
    }

    /** Whichever Worker a connection has: as many as there are, and not one more. */
    @Test
    void allWorkersCountTogether() throws IOException {
        List<Integer> statuses = new ArrayList<>();
        try (GatewayFixture gateway = limited(100, Map.of()).workers(4).start();
                Crowd crowd = Crowd.of(gateway, 16)) {
            for (int i = 0; i < 12; i++) {
                crowd.send(Ask.get("/"));
                statuses.addAll(crowd.statuses());
            }
        }
        assertThat(Collections.frequency(statuses, 200)).isEqualTo(100);
        assertThat(Collections.frequency(statuses, 429)).isEqualTo(16 * 12 - 100);
        assertThat(upstream.requestCount()).isEqualTo(100);
    }

    @Test
    void pipelinedRequestsAreSoManyRequests() throws IOException {
        try (GatewayFixture gateway = limited(10, Map.of()).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/").repeat(60));
            for (int i = 0; i < 60; i++) {
                RawResponse response = client.readResponse();
                assertThat(response.status()).isEqualTo(i < 10 ? 200 : 429);
                assertThat(response.header("RateLimit")).startsWith("\"1h\";r=" + Math.max(0, 9 - i) + ";t=");
                assertThat(response.header("RateLimit-Policy")).isEqualTo("\"1h\";q=10;w=3600");
                assertThat(response.header("Retry-After") != null).isEqualTo(i >= 10);
            }
        }
        assertThat(upstream.requestCount()).isEqualTo(10);
    }

    /** What anybody may write in front of what the last trusted proxy saw, tells no other address. */
    @ParameterizedTest
    @CsvSource({
        "NONE, 203.0.113.%d, 1",
        "X_FORWARD, '6.6.6.%d, 203.0.113.7', 1",
        "X_FORWARD, '6.6.6.%d, garbage, 203.0.113.7', 1",
        "X_FORWARD, 203.0.113.%d, 5",
        "X_FORWARD, '2001:db8::%d', 1",
        "X_FORWARD, '2001:db8:%d::1', 5"
    })
    void onlyWhatTrustedProxiesSayCounts(AllowForward allow, String forwarded, int clients) throws IOException {
        GatewayBuilder builder = limited(1, Map.of());
        builder = allow == AllowForward.NONE ? builder : builder.allowForward(allow, "127.0.0.1");
        int passed = 0;
        try (GatewayFixture gateway = builder.start();
                RawClient client = gateway.connect()) {
            for (int i = 1; i <= 5; i++) {
                String field = "X-Forwarded-For: " + forwarded.replace("%d", String.valueOf(i)) + "\r\n";
                passed += client.send(get(field)).readResponse().status() == 200 ? 1 : 0;
            }
        }
        assertThat(passed).isEqualTo(clients);
    }

    /** In CEL, compiled once; what can't be evaluated is counted by its address. */
    @Test
    void anExpressionSaysWhatIsCountedTogether() throws IOException {
        String expression =
                "request.params['n'] == '' ? request.params['tenant'] : ['a', 'b'][int(request.params['n'])]";
        int passed = 0;
        try (GatewayFixture gateway = limited(1, Map.of("by", Map.of("expression", expression)))
                        .start();
                RawClient client = gateway.connect()) {
            for (String query :
                    List.of("tenant=a", "tenant=b", "tenant=a", "n=0", "n=1", "n=7", "n=x", "", "tenant=c")) {
                passed += client.send(Ask.get("/?" + query)).readResponse().status() == 200 ? 1 : 0;
            }
            assertThat(gateway.pluginCount("rate-limit", "keys_undecided")).isEqualTo(2);
        }
        // a, b and c, and one for the address.
        assertThat(passed).isEqualTo(4);
    }

    /** Each request has another key, as long as a field may be; those beyond the bound share what one has. */
    @Test
    void longKeysThatChangeAreBounded() throws IOException {
        Map<String, Object> settings = Map.of("by", Map.of("header", "X-Api-Key"), "keys", 20);
        int passed = 0;
        try (GatewayFixture gateway = limited(5, settings).start();
                RawClient client = gateway.connect()) {
            String known = "X-Api-Key: known\r\n";
            assertThat(client.send(get(known)).readResponse().status()).isEqualTo(200);
            for (int i = 0; i < 100; i++) {
                String field = "X-Api-Key: " + "k".repeat(7000) + i + "\r\n";
                passed += client.send(get(field)).readResponse().status() == 200 ? 1 : 0;
            }
            assertThat(client.send(get(known)).readResponse().status()).isEqualTo(200);
        }
        assertThat(passed).isEqualTo(19 + 5);
    }

    @ParameterizedTest
    @CsvSource({"GET, /204, 204", "GET, /304, 304", "HEAD, /, 200", "GET, /500, 500"})
    void allAnswersTellWhatIsLeft(String method, String path, int status) throws IOException {
        try (GatewayFixture gateway = limited(2, Map.of("legacy-fields", true)).start();
                RawClient client = gateway.connect()) {
            String request = method + " " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
            RawResponse response = client.send(request).readResponse(method);
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.header("RateLimit")).startsWith("\"1h\";r=1;t=");
            assertThat(response.header("X-RateLimit-Remaining")).isEqualTo("1");
            client.send(request).readResponse(method);
            RawResponse refused = client.send(request).readResponse(method);
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("RateLimit")).startsWith("\"1h\";r=0;t=");
            client.send(request).readResponse(method);
        }
    }

    /** A node that can't be reached costs a token, too: the client has asked. */
    @Test
    void aFailedNodeIsARequest() throws IOException {
        upstream.close();
        try (GatewayFixture gateway = limited(1, Map.of()).start();
                RawClient client = gateway.connect()) {
            RawResponse failed = client.send(Ask.get("/")).readResponse();
            assertThat(failed.status()).isIn(502, 503);
            assertThat(failed.header("RateLimit")).startsWith("\"1h\";r=0;t=");
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(429);
        }
    }
}
