package net.oooops.sigma.plugins.staticresources;

import static net.oooops.sigma.plugins.staticresources.StaticFiles.ask;
import static net.oooops.sigma.plugins.staticresources.StaticFiles.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ErrorPage;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** Files of a folder through a gateway: what is found, what is said of it, and parts of it. */
class StaticResourcesTest extends StaticFilesFixture {
    @Test
    void filesAndIndexes() throws IOException {
        try (GatewayFixture gateway = files.gateway();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                RawResponse home = get(client, "/");
                assertThat(home.status()).isEqualTo(200);
                assertThat(home.bodyText()).isEqualTo("<p>home");
                assertThat(home.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
                assertThat(home.header("Content-Length")).isEqualTo("7");
                assertThat(home.header("Accept-Ranges")).isEqualTo("bytes");
                assertThat(home.header("Last-Modified")).endsWith("GMT");
                assertThat(home.header("ETag")).startsWith("\"");
                assertThat(get(client, "/a.css?v=1").bodyText()).isEqualTo("a{}");
                assertThat(get(client, "/docs/").bodyText()).isEqualTo("<p>docs");
                assertThat(get(client, "/a%20b;c.txt").bodyText()).isEqualTo("odd");
                assertThat(get(client, "/.well-known/security.txt").bodyText()).isEqualTo("contact");
                RawResponse empty = get(client, "/empty.txt");
                assertThat(empty.status()).isEqualTo(200);
                assertThat(empty.header("Content-Length")).isEqualTo("0");
                assertThat(get(client, "/large.bin").body()).isEqualTo(files.large);
                assertThat(ask(client, "HEAD", "/large.bin").header("Content-Length"))
                        .isEqualTo("" + files.large.length);
                assertThat(ask(client, "HEAD", "/a.css").header("Content-Length"))
                        .isEqualTo("3");
            }
        }
    }

    @Test
    void whatIsntThere() throws IOException {
        try (GatewayFixture gateway = files.builder()
                        .errorPage(404, new ErrorPage("text/html", "<p>our own"))
                        .start();
                RawClient client = gateway.connect()) {
            for (String path : List.of("/none", "/a.css/", "/a.css/x", "/docs/none", "/none/")) {
                for (int i = 0; i < 2; i++) {
                    RawResponse missing = get(client, path);
                    assertThat(missing.status()).as(path).isEqualTo(404);
                    assertThat(missing.bodyText()).isEqualTo("<p>our own");
                }
            }
            assertThat(gateway.pluginCount("static-resources", "missing")).isEqualTo(10);
            assertThat(gateway.faults(Fault.NO_ROUTE)).as("a route was taken").isZero();
        }
    }

    /** What may not be given out looks like what isn't there, and is told apart by who runs the gateway. */
    @Test
    void whatIsRefusedIsCountedByItsReason() throws IOException {
        Files.createSymbolicLink(files.root.resolve("out.txt"), files.outside.resolve("secret.txt"));
        Path log = folder.resolve("access.log");
        try (GatewayFixture gateway = files.builder().accessLog(log).start()) {
            try (RawClient client = gateway.connect()) {
                for (String path : List.of("/.git/config", "/docs/.hidden", "/out.txt", "/out.txt", "/a%2fb")) {
                    RawResponse hidden = get(client, path);
                    assertThat(hidden.status()).as(path).isEqualTo(404);
                    assertThat(hidden.body()).isEqualTo(get(client, "/none").body());
                }
                assertThat(ask(client, "POST", "/a.css", "Content-Length: 0").status())
                        .isEqualTo(405);
                assertThat(get(client, "/a.css", "Range: bytes=9-").status()).isEqualTo(416);
                assertThat(get(client, "/a.css", "If-Match: \"other\"").status())
                        .isEqualTo(412);
            }
            assertThat(gateway.pluginCount("static-resources", "hidden")).isEqualTo(5);
            assertThat(gateway.pluginCount("static-resources", "method")).isEqualTo(1);
            assertThat(gateway.pluginCount("static-resources", "range")).isEqualTo(1);
            assertThat(gateway.pluginCount("static-resources", "precondition")).isEqualTo(1);
            assertThat(gateway.pluginCount("static-resources", "missing")).isEqualTo(5);
        }
        assertThat(Files.readAllLines(log))
                .filteredOn(line -> line.contains("\"flag\":\"PR\",\"reason\":\"static-resources: hidden\""))
                .hasSize(5);
    }

    @Test
    void otherMethods() throws IOException {
        try (GatewayFixture gateway = files.gateway();
                RawClient client = gateway.connect()) {
            for (String method : List.of("POST", "OPTIONS", "DELETE", "get", "PROPFIND")) {
                RawResponse refused = ask(client, method, "/a.css", "Content-Length: 0");
                assertThat(refused.status()).as(method).isEqualTo(405);
                assertThat(refused.header("Allow")).isEqualTo("GET, HEAD");
            }
        }
    }

    @Test
    void directoriesAreRedirectedToThemselves() throws IOException {
        try (GatewayFixture gateway = files.gateway();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                RawResponse moved = get(client, "/docs?a=b");
                assertThat(moved.status()).isEqualTo(301);
                assertThat(moved.header("Location")).isEqualTo("./docs/?a=b");
            }
            Files.createDirectories(files.root.resolve("evil.example/x"));
            Files.createDirectories(files.root.resolve("javascript:alert(1)"));
            assertThat(get(client, "//evil.example").header("Location")).isEqualTo("./evil.example/");
            assertThat(get(client, "/evil.example//x").header("Location")).isEqualTo("./x/");
            assertThat(get(client, "/javascript:alert(1)").header("Location")).isEqualTo("./javascript:alert(1)/");
            assertThat(get(client, "/evil.example/").status()).isEqualTo(404);
        }
    }

    @Test
    void aPrefixIsCutOff() throws IOException {
        try (GatewayFixture gateway = files.gateway("strip-prefix", "/static");
                RawClient client = gateway.connect()) {
            assertThat(get(client, "/static/a.css").bodyText()).isEqualTo("a{}");
            assertThat(get(client, "/static/").bodyText()).isEqualTo("<p>home");
            assertThat(get(client, "/static").header("Location")).isEqualTo("./static/");
            for (String path : List.of("/a.css", "/statica.css", "/static;x/a.css", "/Static/a.css", "/")) {
                assertThat(get(client, path).status()).as(path).isEqualTo(404);
            }
        }
    }

    @Test
    void whatIsMissingPassesWhereItMay() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("node"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .route(files.route("/*", "pass", "missing", "pass"))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(get(client, "/a.css").bodyText()).isEqualTo("a{}");
            assertThat(get(client, "/none").bodyText()).isEqualTo("node");
            assertThat(get(client, "/none").bodyText()).isEqualTo("node");
            assertThat(get(client, "/.git/config").bodyText()).isEqualTo("node");
            assertThat(ask(client, "POST", "/a.css", "Content-Length: 0").bodyText())
                    .isEqualTo("node");
            assertThat(upstream.requests()).hasSize(4);
        }
    }

    @Test
    void thePageOfAnApplication() throws IOException {
        try (GatewayFixture gateway = files.gateway("fallback", "index.html");
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                RawResponse page = get(client, "/users/1", "Accept: text/html,application/xhtml+xml,*/*;q=0.8");
                assertThat(page.status()).isEqualTo(200);
                assertThat(page.bodyText()).isEqualTo("<p>home");
                assertThat(page.header("Vary")).as("others get 404").isEqualTo("Accept");
                assertThat(get(client, "/index.html", "Accept: text/html").header("Vary"))
                        .isNull();
                assertThat(get(client, "/users/1.json", "Accept: */*").status()).isEqualTo(404);
                assertThat(get(client, "/users/1.json").status()).isEqualTo(404);
                String tag = String.valueOf(page.header("ETag"));
                assertThat(get(client, "/users/2", "Accept: text/html", "If-None-Match: " + tag)
                                .status())
                        .isEqualTo(304);
            }
        }
    }

    @Test
    void conditionsAreHeeded() throws IOException {
        try (GatewayFixture gateway = files.gateway("cache-control", "max-age=60");
                RawClient client = gateway.connect()) {
            for (String path : List.of("/a.css", "/large.bin")) {
                RawResponse whole = get(client, path);
                String tag = String.valueOf(whole.header("ETag"));
                RawResponse not = get(client, path, "If-None-Match: \"x\", " + tag);
                assertThat(not.status()).isEqualTo(304);
                assertThat(not.header("ETag")).isEqualTo(tag);
                assertThat(not.header("Cache-Control")).isEqualTo("max-age=60");
                assertThat(not.header("Content-Type")).isNull();
                assertThat(ask(client, "HEAD", path, "If-None-Match: " + tag).status())
                        .isEqualTo(304);
                assertThat(get(client, path, "If-None-Match: \"x\"", "If-None-Match: " + tag)
                                .status())
                        .isEqualTo(304);
                assertThat(get(client, path, "If-Modified-Since: " + whole.header("Last-Modified"))
                                .status())
                        .isEqualTo(304);
                assertThat(get(client, path, "If-Match: \"x\"").status()).isEqualTo(412);
                assertThat(get(client, path, "If-Match: " + tag).status()).isEqualTo(200);
            }
        }
    }

    @Test
    void rangesOfWhatIsInMemoryAndWhatIsnt() throws IOException {
        byte[] letters = Files.readAllBytes(files.root.resolve("letters.txt"));
        try (GatewayFixture gateway = files.gateway();
                RawClient client = gateway.connect()) {
            for (byte[] content : List.of(letters, files.large)) {
                String path = content == letters ? "/letters.txt" : "/large.bin";
                RawResponse part = get(client, path, "Range: bytes=2-5");
                assertThat(part.status()).isEqualTo(206);
                assertThat(part.header("Content-Range")).isEqualTo("bytes 2-5/" + content.length);
                assertThat(part.header("Content-Length")).isEqualTo("4");
                assertThat(part.body()).isEqualTo(Arrays.copyOfRange(content, 2, 6));
                RawResponse last = get(client, path, "Range: bytes=-3");
                assertThat(last.body()).isEqualTo(Arrays.copyOfRange(content, content.length - 3, content.length));
                RawResponse none = get(client, path, "Range: bytes=" + content.length + "-");
                assertThat(none.status()).isEqualTo(416);
                assertThat(none.header("Content-Range")).isEqualTo("bytes */" + content.length);
                assertThat(get(client, path, "Range: bytes=0-1", "If-Range: " + part.header("ETag"))
                                .status())
                        .isEqualTo(206);
                assertThat(get(client, path, "Range: bytes=0-1", "If-Range: W/" + part.header("ETag"))
                                .status())
                        .isEqualTo(200);
                assertThat(get(client, path, "Range: bytes=0-1", "If-None-Match: " + part.header("ETag"))
                                .status())
                        .isEqualTo(304);
                assertThat(ask(client, "HEAD", path, "Range: bytes=0-1").status())
                        .isEqualTo(200);
            }
            RawResponse middle = get(client, "/large.bin", "Range: bytes=1000000-8999999");
            assertThat(middle.body()).isEqualTo(Arrays.copyOfRange(files.large, 1_000_000, 9_000_000));
        }
    }

    @Test
    void severalRanges() throws IOException {
        try (GatewayFixture gateway = files.gateway("ranges", 3, "cache", Map.of("small-file", 100));
                RawClient client = gateway.connect()) {
            files.write("digits.txt", "0123456789".repeat(50));
            for (String path : List.of("/letters.txt", "/digits.txt")) {
                int length = path.equals("/letters.txt") ? 26 : 500;
                String ranges = length == 26 ? "Range: bytes=0-1,23-" : "Range: bytes=0-1,490-490,200-202";
                RawResponse parts = get(client, path, ranges);
                assertThat(parts.status()).isEqualTo(206);
                if (length == 26) {
                    // So near that they are one.
                    assertThat(parts.bodyText()).isEqualTo("abcdefghijklmnopqrstuvwxyz");
                    continue;
                }
                String type = String.valueOf(parts.header("Content-Type"));
                assertThat(type).startsWith("multipart/byteranges; boundary=");
                String boundary = type.substring(type.indexOf('=') + 1);
                assertThat(parts.header("Content-Range")).isNull();
                assertThat(parts.bodyText())
                        .isEqualTo(part(boundary, "0-1", "01") + "\r\n" + part(boundary, "490-490", "0") + "\r\n"
                                + part(boundary, "200-202", "012") + "\r\n--" + boundary + "--\r\n");
                assertThat(get(client, path, "Range: bytes=0-0,100-100,200-200,300-300")
                                .status())
                        .isEqualTo(200);
            }
        }
    }

    private static String part(String boundary, String range, String content) {
        return "--" + boundary + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes " + range
                + "/500\r\n\r\n" + content;
    }

    @Test
    void whatIsCompressedAlready() throws IOException {
        files.write("app.js", "plain");
        files.write("app.js.br", "brotli");
        files.write("app.js.gz", "gzipped");
        Files.write(files.root.resolve("large.bin.gz"), Arrays.copyOf(files.large, 200_000));
        try (GatewayFixture gateway = files.gateway("precompressed", List.of("br", "zstd", "gzip"));
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                RawResponse brotli = get(client, "/app.js", "Accept-Encoding: gzip, br");
                assertThat(brotli.bodyText()).isEqualTo("brotli");
                assertThat(brotli.header("Content-Encoding")).isEqualTo("br");
                assertThat(brotli.header("Vary")).isEqualTo("Accept-Encoding");
                assertThat(brotli.header("Content-Type")).isEqualTo("text/javascript; charset=utf-8");
                RawResponse gzip = get(client, "/app.js", "Accept-Encoding: gzip");
                assertThat(gzip.bodyText()).isEqualTo("gzipped");
                RawResponse plain = get(client, "/app.js");
                assertThat(plain.bodyText()).isEqualTo("plain");
                assertThat(plain.header("Vary")).isEqualTo("Accept-Encoding");
                assertThat(plain.header("Content-Encoding")).isNull();
                assertThat(List.of(brotli.header("ETag"), gzip.header("ETag"), plain.header("ETag")))
                        .doesNotHaveDuplicates();
                assertThat(get(client, "/app.js", "Accept-Encoding: br", "If-None-Match: " + plain.header("ETag"))
                                .status())
                        .isEqualTo(200);
                assertThat(get(client, "/app.js", "Accept-Encoding: br", "If-None-Match: " + brotli.header("ETag"))
                                .header("Vary"))
                        .isEqualTo("Accept-Encoding");
                assertThat(get(client, "/large.bin", "Accept-Encoding: gzip").bodyBytes())
                        .isEqualTo(200_000);
                assertThat(get(client, "/large.bin").bodyBytes()).isEqualTo(files.large.length);
                assertThat(get(client, "/a.css", "Accept-Encoding: br").header("Vary"))
                        .isNull();
            }
        }
    }

    @Test
    void fieldsBySuffix() throws IOException {
        Map<String, String> control = Map.of(".html", "no-cache", "*", "max-age=1", ".min.js", "immutable");
        try (GatewayFixture gateway = files.gateway("cache-control", control, "content-types", Map.of(".css", "a/b"));
                RawClient client = gateway.connect()) {
            files.write("x.min.js", "1");
            files.write("x.js", "1");
            assertThat(get(client, "/").header("Cache-Control")).isEqualTo("no-cache");
            assertThat(get(client, "/x.min.js").header("Cache-Control")).isEqualTo("immutable");
            assertThat(get(client, "/x.js").header("Cache-Control")).isEqualTo("max-age=1");
            assertThat(get(client, "/a.css").header("Content-Type")).isEqualTo("a/b");
        }
    }

    @Test
    void changesAreSeen() throws IOException {
        try (GatewayFixture gateway = files.gateway("cache", Map.of("validity", "20ms"));
                RawClient client = gateway.connect()) {
            String before = String.valueOf(get(client, "/a.css").header("ETag"));
            assertThat(get(client, "/new").status()).isEqualTo(404);
            files.write("a.css", "b{}");
            files.write("new", "here");
            Await.until("another version", () -> text(client, "/a.css").equals("b{}"));
            Await.until("a new file", () -> text(client, "/new").equals("here"));
            assertThat(get(client, "/a.css", "If-None-Match: " + before).status())
                    .isEqualTo(200);
            Files.delete(files.root.resolve("a.css"));
            Await.until("it is gone", () -> text(client, "/a.css").startsWith("There is nothing"));
            Path other = files.write("other.bin", "x".repeat(300_000));
            assertThat(get(client, "/large.bin").bodyBytes()).isEqualTo(files.large.length);
            Files.move(other, files.root.resolve("large.bin"), StandardCopyOption.REPLACE_EXISTING);
            Await.until("another large one", () -> text(client, "/large.bin").equals("x".repeat(300_000)));
            Files.delete(files.root.resolve("large.bin"));
            Await.until("it is gone, too", () -> text(client, "/large.bin").startsWith("There is nothing"));
        }
    }

    private static String text(RawClient client, String path) {
        try {
            return get(client, path).bodyText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void withoutACache() throws IOException {
        try (GatewayFixture gateway = files.gateway("cache", Map.of("entries", 0));
                RawClient client = gateway.connect()) {
            assertThat(get(client, "/a.css").bodyText()).isEqualTo("a{}");
            assertThat(get(client, "/empty.txt").bodyText()).isEmpty();
            files.write("a.css", "other");
            assertThat(get(client, "/a.css").bodyText()).isEqualTo("other");
            assertThat(get(client, "/large.bin").body()).isEqualTo(files.large);
        }
    }

    @Test
    void aThousandFiles() throws IOException {
        for (int i = 0; i < 1000; i++) {
            files.write("many/" + i + ".txt", "file " + i);
        }
        try (GatewayFixture gateway = files.gateway("cache", Map.of("entries", 100));
                RawClient client = gateway.connect()) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 1000; i++) {
                    assertThat(get(client, "/many/" + i + ".txt").bodyText()).isEqualTo("file " + i);
                }
            }
        }
    }

    @Test
    void aFolderThatIsALinkMayBeChanged() throws IOException {
        Path next = Files.createDirectory(folder.resolve("next"));
        Files.writeString(next.resolve("a.css"), "next");
        Path current = folder.resolve("current");
        Files.createSymbolicLink(current, files.root);
        try (GatewayFixture gateway = files.gateway("root", current.toString(), "cache", Map.of("validity", "1ms"));
                RawClient client = gateway.connect()) {
            assertThat(get(client, "/a.css").bodyText()).isEqualTo("a{}");
            Files.delete(current);
            Files.createSymbolicLink(current, next);
            Await.until("the next one", () -> text(client, "/a.css").equals("next"));
        }
    }
}
