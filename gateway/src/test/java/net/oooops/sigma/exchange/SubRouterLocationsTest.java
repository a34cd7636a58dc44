package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where clients are sent by plugins of routers within routers: below the path that leads there, which they see without it. */
class SubRouterLocationsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeEach
    void files() throws IOException {
        Files.createDirectories(folder.resolve("docs"));
        Files.writeString(folder.resolve("index.html"), "first");
        Files.writeString(folder.resolve("docs/index.html"), "second");
    }

    private TextGateway gateway() {
        return TextGateway.start("""
                {
                  "proxy-server": { "http": { "id": "web", "plugin": { "redirect": { "regexp": "^/none", "to": "/x$path" } } } },
                  "router": [
                    { "id": "main", "proxy-server-id": "web", "route": [
                      { "id": "sub", "path": "/sub/*", "sub-router": "inner" },
                      { "id": "safe", "path": "/safe/:at/*", "sub-router": "https" },
                      { "id": "files", "path": "/files/*", "sub-router": "files" },
                      { "id": "stripped", "path": "/stripped/*", "sub-router": "stripped" },
                      { "id": "rewritten", "path": "/rewritten", "plugin": {
                        "rewrite-path": { "regexp": "^/rewritten$", "replacement": "/" },
                        "static-resources": { "root": "%1$s" } } }
                    ] },
                    { "id": "inner", "route": [
                      { "id": "one", "path": "/one/*", "plugin": { "redirect": { "to": "https://a.example$path$query" } } },
                      { "id": "deep", "path": "/deep/*", "sub-router": "https" }
                    ] },
                    { "id": "https", "plugin": { "http-redirect-https": { "except": ["/open"] } }, "route": [
                      { "id": "all", "path": "/*", "plugin": { "respond": { "body": "open" } } }
                    ] },
                    { "id": "files", "route": [
                      { "id": "all", "path": "/*", "plugin": { "static-resources": { "root": "%1$s" } } }
                    ] },
                    { "id": "stripped", "route": [
                      { "id": "all", "path": "/*", "plugin": { "static-resources": { "root": "%1$s", "strip-prefix": "/st" } } }
                    ] }
                  ]
                }
                """.formatted(folder));
    }

    private static RawResponse ask(TextGateway gateway, String target) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send("GET " + target + " HTTP/1.1\r\nHost: b.example\r\n\r\n")
                    .readResponse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/sub/one/7?a=b, 302, https://a.example/sub/one/7?a=b",
        "/sub/one, 302, https://a.example/sub/one",
        "/x/../sub//one/%37, 302, https://a.example/sub/one/7",
        "/sub/deep/a?b, 308, https://b.example/sub/deep/a?b",
        "/safe/7/a, 308, https://b.example/safe/7/a",
        "/safe/7, 308, https://b.example/safe/7",
        "/safe/7/, 308, https://b.example/safe/7/",
        "/none/a, 302, /x/none/a",
        "/files, 301, ./files/",
        "/files?a=b, 301, ./files/?a=b",
        "/files/docs, 301, ./docs/",
        "/stripped/st, 301, ./st/"
    })
    void haveThePathThatTheClientWrote(String target, int status, String location) throws IOException {
        try (TextGateway gateway = gateway()) {
            RawResponse response = ask(gateway, target);
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.headers().values("Location")).containsExactly(location);
        }
    }

    @Test
    void whatIsThereIsGiven() throws IOException {
        try (TextGateway gateway = gateway()) {
            assertThat(ask(gateway, "/files/").bodyText()).isEqualTo("first");
            assertThat(ask(gateway, "/files/docs/").bodyText()).isEqualTo("second");
            assertThat(ask(gateway, "/stripped/st/").bodyText()).isEqualTo("first");
            assertThat(ask(gateway, "/rewritten").bodyText())
                    .as("no router begins there: another route may have that path with a slash")
                    .isEqualTo("first");
            assertThat(ask(gateway, "/safe/7/open").bodyText()).isEqualTo("open");
        }
    }
}
