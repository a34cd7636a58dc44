package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where clients are sent behind plugins that change paths and queries for nodes: to what they asked for, and not to what became of it. */
class RewrittenLocationsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private TextGateway gateway() throws IOException {
        Files.createDirectories(folder.resolve("docs"));
        return TextGateway.start("""
                {
                  "proxy-server": { "http": { "id": "web" } },
                  "router": [{ "id": "main", "proxy-server-id": "web",
                    "plugin": {
                      "rewrite-path": { "regexp": "^/api", "replacement": "" },
                      "rewrite-query": { "remove": ["drop"], "add": { "for": "nodes" } }
                    },
                    "route": [
                      { "id": "all", "path": "/api/all/*", "plugin": { "redirect": { "to": "https://a.example$path$query" } } },
                      { "id": "some", "path": "/api/some/*", "plugin": {
                        "redirect": { "regexp": "^/some/([0-9]+)$", "to": "/api/one/$1?x$query" },
                        "respond": { "body": "others" } } },
                      { "id": "safe", "path": "/api/safe/*", "plugin": { "http-redirect-https": { "except": ["/safe/open"] },
                        "respond": { "body": "open" } } },
                      { "id": "files", "path": "/api/docs", "plugin": { "static-resources": { "root": "%1$s" } } },
                      { "id": "renamed", "path": "/api/public/*", "plugin": {
                        "rewrite-path": { "regexp": "^/public", "replacement": "/docs" },
                        "static-resources": { "root": "%1$s" } } }
                    ] }]
                }
                """.formatted(folder));
    }

    @ParameterizedTest
    @CsvSource({
        "/api/all/7?a=b, 302, https://a.example/api/all/7?a=b",
        "/api/all/7?drop=1, 302, https://a.example/api/all/7?drop=1",
        "/api/all/7, 302, https://a.example/api/all/7",
        "/api/all/7?, 302, https://a.example/api/all/7?",
        "/api/some/7?a=b, 302, /api/one/7?x&a=b",
        "/api/safe/7?a=b, 308, https://b.example/api/safe/7?a=b",
        "/api/safe/7, 308, https://b.example/api/safe/7",
        "/api/docs?a=b, 301, ./docs/?a=b",
        "/api/public, 301, ./public/",
        "/api/public?a=b, 301, ./public/?a=b"
    })
    void haveWhatTheClientWrote(String target, int status, String location) throws IOException {
        try (TextGateway gateway = gateway()) {
            RawResponse response = ask(gateway, target);
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.headers().values("Location")).containsExactly(location);
        }
    }

    @ParameterizedTest
    @CsvSource({"/api/some/x, others", "/api/safe/open/7, open"})
    void whatIsComparedIsThePathOfHere(String target, String answer) throws IOException {
        try (TextGateway gateway = gateway()) {
            assertThat(ask(gateway, target).bodyText()).isEqualTo(answer);
        }
    }

    private static RawResponse ask(TextGateway gateway, String target) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send("GET " + target + " HTTP/1.1\r\nHost: b.example\r\n\r\n")
                    .readResponse();
        }
    }
}
