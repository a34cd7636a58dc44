package net.oooops.sigma.plugins.errorpages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Error pages between clients and nodes: frames, fields and connections stay right. */
class ErrorPagesFlowTest {
    private static final String LONG = "x".repeat(100_000);

    private final ScriptedUpstream node = ScriptedUpstream.start(ErrorPagesFlowTest::answer);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private TextGateway gateway;

    @SuppressWarnings("NullAway.Init")
    private RawClient client;

    private static Answer answer(ReceivedRequest request) {
        if (request.target().endsWith("/ok")) {
            return Answer.ok("fine");
        }
        int status = request.target().endsWith("/long") ? 500 : 404;
        return Answer.of(status)
                .body(request.target().endsWith("/long") ? LONG : "not here")
                .header("ETag", "\"1\"")
                .header("Content-Type", "application/json")
                .header("X-Node", "1");
    }

    @BeforeEach
    void start() throws IOException {
        Path page = Files.writeString(folder.resolve("404.html"), "<h1>Nothing here</h1>");
        gateway = TextGateway.start("""
                {
                  "proxy-server": { "http": { "id": "web", "plugin": { "error-pages": { "pages": {
                    "4xx": { "content-type": "text/plain", "body": "of the server" } } } } } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [
                    { "id": "pages", "path": "/pages/*", "proxy-pass-id": "node", "plugin": { "error-pages": {
                      "intercept": true, "pages": {
                        "404": { "content-type": "text/html", "file": "%s" },
                        "5xx": { "content-type": "text/plain", "body": "later", "status": 503 } } }, "gzip": {} } },
                    { "id": "keys", "path": "/keys/*", "proxy-pass-id": "node", "plugin": { "key-auth": { "consumers": [
                      { "id": "a", "keys": ["sha256:963754d2670c03adfd1be0ef89006d911cf07c64aa3c61552607d58dbbd626ed"] }
                    ] } } },
                    { "id": "dead", "path": "/dead/*", "proxy-pass-id": "nobody", "plugin": { "error-pages": {
                      "pages": { "502": { "content-type": "text/plain", "body": "down" } } } } },
                    { "id": "plain", "path": "/plain/*", "proxy-pass-id": "node" } ] }],
                  "proxy-pass": [{ "id": "node", "upstream-id": "node" },
                    { "id": "nobody", "upstream-id": "nobody", "retry": { "enable": false } }],
                  "upstream": [{ "id": "node", "nodes": ["http://127.0.0.1:%d"] },
                    { "id": "nobody", "nodes": ["http://127.0.0.1:%d"] }]
                }
                """.formatted(page, node.port(), FreePorts.one()));
        client = gateway.connect();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        gateway.close();
        node.close();
    }

    private RawResponse ask(String method, String target, String... fields) throws IOException {
        String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return client.send(method + " " + target + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n")
                .readResponse(method);
    }

    @Test
    void aNodesAnswerIsReplaced() throws IOException {
        RawResponse response = ask("GET", "/pages/none");
        assertThat(response.status()).isEqualTo(404);
        assertThat(response.bodyText()).isEqualTo("<h1>Nothing here</h1>");
        assertThat(response.headers().values("Content-Length")).containsExactly("21");
        assertThat(response.headers().values("Content-Type")).containsExactly("text/html");
        assertThat(response.headers().has("ETag")).isFalse();
        assertThat(response.headers().values("X-Node")).containsExactly("1");
        assertThat(response.headers().values("Date")).hasSize(1);
        assertThat(ask("GET", "/pages/ok").bodyText())
                .as("the client's connection goes on")
                .isEqualTo("fine");
    }

    @Test
    void headHasTheHeadOfThePage() throws IOException {
        RawResponse response = ask("HEAD", "/pages/none");
        assertThat(response.status()).isEqualTo(404);
        assertThat(response.headers().values("Content-Length")).containsExactly("21");
        assertThat(response.body()).isEmpty();
        assertThat(ask("GET", "/pages/ok").bodyText()).isEqualTo("fine");
    }

    @Test
    void aLongAnswerIsGivenUp() throws IOException {
        RawResponse response = ask("GET", "/pages/long", "Accept-Encoding: gzip");
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.bodyText()).isEqualTo("later");
        assertThat(response.headers().values("Cache-Control")).containsExactly("no-store");
        assertThat(response.headers().has("Content-Encoding"))
                .as("what packed the node's answer")
                .isFalse();
        assertThat(ask("GET", "/pages/ok").bodyText()).isEqualTo("fine");
    }

    @Test
    void theServersPageIsForOwnAnswersAndThoseOfPlugins() throws IOException {
        assertThat(ask("GET", "/nowhere").bodyText()).isEqualTo("of the server");
        RawResponse refused = ask("GET", "/keys/1");
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.bodyText()).isEqualTo("of the server");
        assertThat(refused.headers().has("WWW-Authenticate"))
                .as("how to be let in")
                .isTrue();
        assertThat(ask("GET", "/plain/none").bodyText()).as("a node's").isEqualTo("not here");
        assertThat(gateway.faults(Fault.NO_ROUTE)).isEqualTo(1);
    }

    @Test
    void whatCanNotBeReachedHasAPage() throws IOException {
        RawResponse response = ask("GET", "/dead/a");
        assertThat(response.status()).isEqualTo(502);
        assertThat(response.bodyText()).isEqualTo("down");
        assertThat(gateway.faults(Fault.CONNECT_FAILED)).isEqualTo(1);
    }

    @Test
    void aCallOfGrpcGetsItsStatus() throws IOException {
        RawResponse response =
                ask("POST", "/dead/a", "Content-Type: application/grpc", "TE: trailers", "Content-Length: 0");
        assertThat(response.status()).isIn(200, 502);
        assertThat(response.bodyText()).isNotEqualTo("down");
    }

    private static ConfigResult read(String pages, Path folder) {
        PluginCatalog catalog = new PluginCatalog(ErrorPagesFlowTest.class.getClassLoader());
        byte[] json = """
                {
                  "proxy-server": { "http": { "id": "web", "port": 8000, "plugin": { "error-pages": { "pages": { "404": %s } } } } },
                  "router": [], "proxy-pass": [], "upstream": []
                }
                """.formatted(pages).getBytes(StandardCharsets.UTF_8);
        return new ConfigReader(catalog.schemas(), catalog::tryOut).read(json, folder);
    }

    @Test
    void aFileIsReadBelowTheFolderOfSigmaJson() {
        var valid = (ConfigResult.Valid) read("{ \"content-type\": \"text/html\", \"file\": \"404.html\" }", folder);
        assertThat(valid.config()
                        .listeners()
                        .getFirst()
                        .plugins()
                        .getFirst()
                        .settings()
                        .toString())
                .isEqualTo("{pages={404={content-type=text/html, body=<h1>Nothing here</h1>}}}");
        assertThat(valid.files()).as("a reload looks at it").containsExactly(folder.resolve("404.html"));
    }

    @Test
    void whatIsWrongWithAPageIsToldWithItsPlace() {
        for (List<String> each : List.of(
                List.of(
                        "{ \"content-type\": \"text/html\", \"file\": \"none\" }",
                        "file: \"none\", which is not there"),
                List.of("{ \"content-type\": \"html\", \"body\": \"\" }", "content-type: \"html\""),
                List.of("{ \"content-type\": \"a/b\", \"body\": \"\", \"status\": 304 }", "status: 304"))) {
            String text = ((ConfigResult.Invalid) read(each.getFirst(), folder)).text("sigma.json");
            assertThat(text).contains("/plugin/error-pages/pages/404/" + each.getLast());
        }
    }
}
