package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Routes that lead into other routers: what is taken, what nodes see, what plugins do, what the log says. */
class SubRouterTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private String json(ScriptedUpstream node) {
        return """
                {
                  "proxy-server": { "http": { "id": "web" } },
                  "router": [
                    { "id": "main", "proxy-server-id": "web", "virtual-host": "a", "route": [
                      { "id": "orders", "path": "/orders/*", "sub-router": "api", "plugin": {
                        "headers": { "request": { "add": { "X-Way": "orders" } } },
                        "rate-limit": { "when": "request.path.contains('limited')",
                          "limits": [{ "requests": 2, "per": "1h" }] } } },
                      { "id": "tenant", "path": "/t/:tenant/*", "sub-router": "api",
                        "header": [{ "name": "X-Tenant", "present": true }] },
                      { "id": "rest", "path": "/*", "proxy-pass-id": "p" }
                    ] },
                    { "id": "api", "plugin": { "headers": { "request": { "add": { "X-Way": "api" } } } }, "route": [
                      { "id": "list", "path": "/list", "allow-method": ["GET"], "proxy-pass-id": "p",
                        "plugin": { "headers": { "request": { "add": { "X-Way": "list" } } } } },
                      { "id": "one", "path": "/one/:id", "proxy-pass-id": "p", "plugin": {
                        "headers": { "request": { "set-template": { "X-Ids": "{param:id}" } } } } },
                      { "id": "more", "path": "/more/*", "sub-router": "deep" }
                    ] },
                    { "id": "deep", "route": [
                      { "id": "all", "path": "/*", "proxy-pass-id": "p" }
                    ] }
                  ],
                  "proxy-pass": [{ "id": "p", "upstream-id": "u" }],
                  "upstream": [{ "id": "u", "nodes": ["http://127.0.0.1:%d"] }],
                  "plugins": { "log-config": { "format": "json", "file": "%s" } }
                }
                """.formatted(node.port(), folder.resolve("log"));
    }

    private static ScriptedUpstream node() {
        return ScriptedUpstream.start(request ->
                Answer.ok(request.target() + " " + request.headers().values("X-Way") + " " + request.header("X-Ids")));
    }

    private static RawResponse ask(RawClient client, String method, String target, String... fields)
            throws IOException {
        String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return client.send(method + " " + target + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n")
                .readResponse(method);
    }

    @Test
    void routesStandBelowThePathThatLeadsToThem() throws IOException {
        try (ScriptedUpstream node = node();
                TextGateway gateway = TextGateway.start(json(node));
                RawClient client = gateway.connect()) {
            assertThat(ask(client, "GET", "/orders/list?a=b").bodyText())
                    .isEqualTo("/list?a=b [orders, api, list] null");
            assertThat(ask(client, "GET", "/orders/one/7").bodyText()).isEqualTo("/one/7 [orders, api] 7");
            assertThat(ask(client, "GET", "/orders/more").bodyText()).isEqualTo("/ [orders, api] null");
            assertThat(ask(client, "GET", "/orders/more/a/b").bodyText()).isEqualTo("/a/b [orders, api] null");
            assertThat(ask(client, "GET", "/orders/elsewhere").bodyText())
                    .as("what no route there takes is another's")
                    .isEqualTo("/orders/elsewhere [] null");
            assertThat(ask(client, "POST", "/orders/list").bodyText()).isEqualTo("/orders/list [] null");
            assertThat(ask(client, "GET", "/list").bodyText())
                    .as("none of it is elsewhere")
                    .isEqualTo("/list [] null");
        }
    }

    @Test
    void conditionsAndParametersOfBothHold() throws IOException {
        try (ScriptedUpstream node = node();
                TextGateway gateway = TextGateway.start(json(node));
                RawClient client = gateway.connect()) {
            assertThat(ask(client, "GET", "/t/x/one/7", "X-Tenant: x").bodyText())
                    .isEqualTo("/one/7 [api] 7");
            assertThat(ask(client, "GET", "/t/x/one/7").bodyText()).isEqualTo("/t/x/one/7 [] null");
        }
    }

    /** A plugin is made once for the place that names it: its counts are those of all routes that pass there. */
    @Test
    void pluginsOnTheWayAreTheSameForAllOfThem() throws IOException {
        try (ScriptedUpstream node = node();
                TextGateway gateway = TextGateway.start(json(node));
                RawClient client = gateway.connect()) {
            assertThat(ask(client, "GET", "/orders/one/limited").status()).isEqualTo(200);
            assertThat(ask(client, "GET", "/orders/more/limited").status()).isEqualTo(200);
            assertThat(ask(client, "GET", "/orders/one/limited").status()).isEqualTo(429);
            assertThat(ask(client, "GET", "/orders/one/other").status()).isEqualTo(200);
        }
    }

    @Test
    void theLogHasTheWholeWay() throws IOException {
        try (ScriptedUpstream node = node();
                TextGateway gateway = TextGateway.start(json(node));
                RawClient client = gateway.connect()) {
            ask(client, "GET", "/orders/list");
            ask(client, "GET", "/t/x/more/a", "X-Tenant: x");
            ask(client, "GET", "/a");
        }
        List<String> routes = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("log"))) {
            routes.add(new ObjectMapper().readTree(line).get("route").asText());
        }
        assertThat(routes).containsExactly("orders/list", "tenant/more/all", "rest");
    }

    @Test
    void oneThatIsSwitchedOffHasNoRoutes() throws IOException {
        try (ScriptedUpstream node = node();
                TextGateway gateway = TextGateway.start(
                        json(node).replace("{ \"id\": \"deep\",", "{ \"id\": \"deep\", \"enable\": false,"));
                RawClient client = gateway.connect()) {
            assertThat(ask(client, "GET", "/orders/more/a").bodyText()).isEqualTo("/orders/more/a [] null");
            assertThat(ask(client, "GET", "/orders/list").bodyText()).startsWith("/list ");
        }
    }
}
