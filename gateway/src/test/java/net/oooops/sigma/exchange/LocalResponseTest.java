package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ErrorPage;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the gateway answers itself: misses, preflights, error pages, problem details. */
class LocalResponseTest {
    private static final String SERVERS = "X-Frame-Options";
    private static final String ROUTES = "Content-Security-Policy";
    private static final Map<String, Object> CSP =
            Map.of("directive", List.of(Map.of("name", "default-src", "value", "'self'")));

    @ParameterizedTest
    @CsvSource({
        "GET /nowhere,,404,",
        "DELETE /things,,405,'GET, HEAD, POST'",
        "POST /things,Content-Type: text/csv,415,",
        "GET /things,Accept: image/png,406,",
        "TRACE /things,,405,"
    })
    void whatNoRouteTakesPassesTheListenersPlugins(String begin, String field, int status, String allow)
            throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = things(upstream).start();
                RawClient client = gateway.connect()) {
            String length = begin.startsWith("POST") ? "Content-Length: 4\r\n" : "";
            String body = begin.startsWith("POST") ? "body" : "";
            client.send(begin + " HTTP/1.1\r\nHost: a\r\n" + (field == null ? "" : field + "\r\n") + length + "\r\n"
                    + body);
            RawResponse response = client.readResponse();

            assertThat(response.status()).isEqualTo(status);
            if (status != 405 || allow != null) {
                assertThat(response.header(SERVERS)).isEqualTo("DENY");
                assertThat(response.header("Allow")).isEqualTo(allow);
            }
            assertThat(response.header(ROUTES)).isNull();
            assertThat(upstream.connectionCount()).isZero();
        }
    }

    @Test
    void whatARouteTakesPassesItsPluginsToo() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = things(upstream).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/things")).readResponse();

            assertThat(response.header(SERVERS)).isEqualTo("DENY");
            assertThat(response.header(ROUTES)).isEqualTo("default-src 'self'");
        }
    }

    @Test
    void faultsPassTheRoutesPlugins() throws IOException {
        try (PortHold down = ScriptedUpstream.refusedPort();
                GatewayFixture gateway = GatewayFixture.toPorts(down.port())
                        .client("waitTimeoutNanos", Duration.ofNanos(1))
                        .plugin("x-frame", "DENY")
                        .route("/*", GatewayFixture.plugin("csp", CSP))
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.header(SERVERS)).isEqualTo("DENY");
            assertThat(response.header(ROUTES)).isEqualTo("default-src 'self'");
        }
    }

    @Test
    void aPreflightIsAnsweredThoughTheRouteAllowsNoOptions() throws IOException {
        Map<String, Object> cors =
                Map.of("allow-origins", List.of("https://a.example"), "allow-methods", List.of("PUT"), "max-age", 5);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .route("/things", List.of("PUT"), GatewayFixture.plugin("cors", cors))
                        .start();
                RawClient client = gateway.connect()) {
            String preflight = "OPTIONS /things HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n"
                    + "Access-Control-Request-Method: %s\r\n\r\n";
            RawResponse allowed = client.send(preflight.formatted("PUT")).readResponse();
            assertThat(allowed.status()).isEqualTo(204);
            assertThat(allowed.header("Access-Control-Allow-Origin")).isEqualTo("https://a.example");
            assertThat(allowed.header("Access-Control-Max-Age")).isEqualTo("5");

            RawResponse other = client.send(preflight.formatted("DELETE")).readResponse();
            assertThat(other.status()).isEqualTo(405);
            RawResponse none =
                    client.send("OPTIONS /things HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            assertThat(none.status()).isEqualTo(405);
            assertThat(none.header("Allow")).isEqualTo("PUT");
            RawResponse real = client.send("PUT /things HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n"
                            + "Content-Length: 0\r\n\r\n")
                    .readResponse();
            assertThat(real.header("Access-Control-Allow-Origin")).isEqualTo("https://a.example");
            assertThat(upstream.requestCount()).isEqualTo(1);
        }
    }

    @Test
    void errorPagesTakeThePlaceOfTheTexts() throws IOException {
        ErrorPage page = new ErrorPage("text/html; charset=utf-8", "<h1>n\u00f6</h1>");
        try (GatewayFixture gateway = GatewayFixture.toPorts(1)
                        .route("/only")
                        .errorPage(404, page)
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/nowhere")).readResponse();
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
            assertThat(response.body()).isEqualTo("<h1>n\u00f6</h1>".getBytes(java.nio.charset.StandardCharsets.UTF_8));

            RawResponse head = client.send(Ask.head("/nowhere")).readResponse("HEAD");
            assertThat(head.header("Content-Length")).isEqualTo("" + response.bodyBytes());
            RawResponse json = client.send(accepting("application/json")).readResponse();
            assertThat(json.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "application/problem+json,true",
        "'text/html, Application/JSON;q=0.9',true",
        "application/json,true",
        "text/html,false",
        "*/*,false",
    })
    void problemDetailsGoToWhoAcceptsThem(String accept, boolean problem) throws IOException {
        try (GatewayFixture gateway = GatewayFixture.toPorts(1).route("/only").start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(accepting(accept)).readResponse();

            assertThat(response.status()).isEqualTo(404);
            assertThat(response.header("Content-Type"))
                    .isEqualTo(problem ? "application/problem+json" : "text/plain; charset=utf-8");
            assertThat(response.bodyText())
                    .isEqualTo(
                            problem
                                    ? "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,\"detail\":\""
                                            + Fault.NO_ROUTE.text() + "\"}\n"
                                    : Fault.NO_ROUTE.text() + "\n");
        }
    }

    private static String accepting(String accept) {
        return "GET /nowhere HTTP/1.1\r\nHost: a\r\nAccept: " + accept + "\r\n\r\n";
    }

    private static GatewayBuilder things(ScriptedUpstream upstream) {
        return GatewayFixture.to(upstream)
                .plugin("x-frame", "DENY")
                .route(new RouteConfig(
                        "things",
                        "",
                        "/things",
                        List.of("GET", "POST"),
                        List.of("application/json"),
                        List.of("application/json"),
                        List.of(),
                        List.of(),
                        "pass",
                        List.of(GatewayFixture.plugin("csp", CSP))));
    }
}
