package net.oooops.sigma.plugins.staticresources;

import static net.oooops.sigma.plugins.staticresources.StaticFiles.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing outside the folder is given out, whatever is asked for and however the folder changes meanwhile. */
class TraversalTest extends StaticFilesFixture {
    @Test
    void noEncodingLeadsOut() throws IOException {
        List<String> steps = List.of(
                "..",
                "%2e%2e",
                "%2E.",
                ".%2e",
                "..%00",
                "..;",
                "..;a=b",
                "%252e%252e",
                "..%5c",
                "..\\",
                "%c0%ae%c0%ae",
                "%e0%80%ae%e0%80%ae",
                "..%c0%af",
                "..%2f",
                "..%2F..%2f",
                "%uff0e%uff0e",
                "%ef%bc%8e%ef%bc%8e",
                "....",
                ".../",
                ". .");
        try (GatewayFixture gateway = files.gateway("dot-files", "allow")) {
            for (String step : steps) {
                for (String path : List.of(
                        "/" + step + "/secret.txt",
                        "/docs/" + step + "/" + step + "/secret.txt",
                        "/" + step + "secret.txt",
                        "/docs/" + step + "/" + step + "/outside/secret.txt",
                        "/" + step + folder + "/secret.txt",
                        "/" + step + "/" + step + "/etc/passwd")) {
                    leadsNowhere(gateway, path);
                }
            }
        }
    }

    private static void leadsNowhere(GatewayFixture gateway, String path) throws IOException {
        try (RawClient client = gateway.connect()) {
            RawResponse answer = get(client, path);
            assertThat(answer.status()).as(path).isIn(400, 404, 301);
            assertThat(answer.bodyText()).as(path).doesNotContain(StaticFiles.SECRET, "root:");
        }
    }

    @Test
    void dotFilesAreRefused() throws IOException {
        try (GatewayFixture gateway = files.gateway();
                RawClient client = gateway.connect()) {
            for (String path : List.of("/.git/config", "/%2egit/config", "/docs/.hidden", "/.git", "/.git/")) {
                assertThat(get(client, path).status()).as(path).isEqualTo(404);
            }
        }
        try (GatewayFixture gateway = files.gateway("dot-files", "allow");
                RawClient client = gateway.connect()) {
            assertThat(get(client, "/.git/config").bodyText()).isEqualTo(StaticFiles.SECRET);
        }
    }

    /** Whatever a link is called: what it leads to is what is given out. */
    @ParameterizedTest
    @ValueSource(strings = {"inside", "anywhere"})
    void noLinkLeadsToDotFiles(String links) throws IOException {
        files.write(".env", StaticFiles.SECRET);
        files.write("app.js", "plain");
        Files.writeString(files.outside.resolve(".env"), StaticFiles.SECRET);
        link("settings.txt", ".env");
        link("repository", ".git");
        link("docs/up", "../.git/config");
        link("twice", "settings.txt");
        link("hidden.txt", "docs/.hidden");
        link("app.js.gz", ".env");
        link("elsewhere.txt", files.outside.resolve(".env").toString());
        link("contact.txt", ".well-known/security.txt");
        List<String> paths = List.of(
                "/settings.txt",
                "/repository",
                "/repository/",
                "/repository/config",
                "/docs/up",
                "/twice",
                "/hidden.txt",
                "/elsewhere.txt");
        try (GatewayFixture gateway = files.gateway("follow-links", links, "precompressed", List.of("gzip"));
                RawClient client = gateway.connect()) {
            for (String path : paths) {
                assertThat(get(client, path).status()).as(path).isEqualTo(404);
            }
            assertThat(get(client, "/app.js", "Accept-Encoding: gzip").bodyText())
                    .isEqualTo("plain");
            assertThat(get(client, "/contact.txt").bodyText()).isEqualTo("contact");
        }
        try (GatewayFixture gateway = files.gateway("follow-links", links, "dot-files", "allow");
                RawClient client = gateway.connect()) {
            for (String path : List.of("/settings.txt", "/repository/config", "/docs/up", "/twice", "/hidden.txt")) {
                assertThat(get(client, path).bodyText()).as(path).isEqualTo(StaticFiles.SECRET);
            }
        }
    }

    /** A folder may itself lie below one whose name begins with a dot, as where each version has its own. */
    @Test
    void theFolderMayLieBelowADot() throws IOException {
        Path hidden = Files.createDirectories(folder.resolve(".versions/2/www"));
        Files.writeString(hidden.resolve("a.css"), "version 2");
        Files.createSymbolicLink(hidden.resolve("b.css"), Path.of("a.css"));
        Files.writeString(folder.resolve(".versions/2/shared.css"), "shared");
        Files.createSymbolicLink(hidden.resolve("c.css"), Path.of("../shared.css"));
        try (GatewayFixture gateway = files.gateway("root", hidden.toString(), "follow-links", "anywhere");
                RawClient client = gateway.connect()) {
            assertThat(get(client, "/a.css").bodyText()).isEqualTo("version 2");
            assertThat(get(client, "/b.css").bodyText()).isEqualTo("version 2");
            assertThat(get(client, "/c.css").bodyText()).isEqualTo("shared");
        }
    }

    /** A volume of a ConfigMap or Secret: a version each in a directory of its own, which a link leads to, and to whose files others lead. */
    @ParameterizedTest
    @ValueSource(strings = {"inside", "anywhere"})
    void volumesOfKubernetes(String links) throws IOException {
        files.write("..2026_11_27_01/page.html", "version 1");
        files.write("..2026_11_27_01/sub/index.html", "below");
        files.write("..2026_11_27_01/.token", StaticFiles.SECRET);
        files.write("..2026_11_27_01/.git/config", StaticFiles.SECRET);
        files.write("..file", StaticFiles.SECRET);
        link("..data", "..2026_11_27_01");
        link("page.html", "..data/page.html");
        link("sub", "..data/sub");
        link("token", "..data/.token");
        link("git", "..data/.git");
        link("named", "..file");
        List<String> refused = List.of(
                "/..data/page.html",
                "/..2026_11_27_01/page.html",
                "/%2e.data/page.html",
                "/..data/",
                "/..data",
                "/token",
                "/git/config",
                "/named");
        try (GatewayFixture gateway = files.gateway("follow-links", links, "cache", Map.of("entries", 0));
                RawClient client = gateway.connect()) {
            assertThat(get(client, "/page.html").bodyText()).isEqualTo("version 1");
            assertThat(get(client, "/sub/").bodyText()).isEqualTo("below");
            assertThat(get(client, "/sub").status()).isEqualTo(301);
            for (String path : refused) {
                assertThat(get(client, path).status()).as(path).isEqualTo(404);
            }
            files.write("..2026_11_27_02/page.html", "version 2");
            link("..next", "..2026_11_27_02");
            Files.move(files.root.resolve("..next"), files.root.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
            assertThat(get(client, "/page.html").bodyText()).isEqualTo("version 2");
        }
    }

    private void link(String name, String to) throws IOException {
        Files.createSymbolicLink(files.root.resolve(name), Path.of(to));
    }

    @Test
    void linksAsTheyMay() throws IOException {
        Files.createSymbolicLink(files.root.resolve("out.txt"), files.outside.resolve("secret.txt"));
        Files.createSymbolicLink(files.root.resolve("up.txt"), Path.of("../secret.txt"));
        Files.createSymbolicLink(files.root.resolve("out"), files.outside);
        Files.createSymbolicLink(files.root.resolve("in.css"), Path.of("a.css"));
        Files.createSymbolicLink(files.root.resolve("in"), files.root.resolve("docs"));
        Files.createSymbolicLink(files.root.resolve("loop"), Path.of("loop"));
        Files.createSymbolicLink(files.root.resolve("broken"), Path.of("nowhere"));
        List<String> outside = List.of("/out.txt", "/up.txt", "/out/secret.txt", "/out", "/out/");
        try (GatewayFixture gateway = files.gateway();
                RawClient client = gateway.connect()) {
            for (String path : outside) {
                assertThat(get(client, path).status()).as(path).isEqualTo(404);
            }
            assertThat(get(client, "/in.css").bodyText()).isEqualTo("a{}");
            assertThat(get(client, "/in/").bodyText()).isEqualTo("<p>docs");
            assertThat(get(client, "/loop").status()).isEqualTo(404);
            assertThat(get(client, "/loop/x").status()).isEqualTo(404);
            assertThat(get(client, "/broken").status()).isEqualTo(404);
        }
        try (GatewayFixture gateway = files.gateway("follow-links", "none");
                RawClient client = gateway.connect()) {
            for (String path : outside) {
                assertThat(get(client, path).status()).as(path).isEqualTo(404);
            }
            assertThat(get(client, "/in.css").status()).isEqualTo(404);
            assertThat(get(client, "/in/").status()).isEqualTo(404);
            assertThat(get(client, "/a.css").status()).isEqualTo(200);
            assertThat(get(client, "/docs/").bodyText()).isEqualTo("<p>docs");
        }
        try (GatewayFixture gateway = files.gateway("follow-links", "anywhere");
                RawClient client = gateway.connect()) {
            assertThat(get(client, "/out.txt").bodyText()).isEqualTo(StaticFiles.SECRET);
            assertThat(get(client, "/out/secret.txt").bodyText()).isEqualTo(StaticFiles.SECRET);
            assertThat(get(client, "/a.css").bodyText()).isEqualTo("a{}");
            assertThat(get(client, "/docs").status()).isEqualTo(301);
            assertThat(get(client, "/loop").status()).isEqualTo(404);
        }
    }

    @Test
    void onlyRegularFiles() throws Exception {
        Process made = new ProcessBuilder("mkfifo", files.root.resolve("pipe").toString()).start();
        Needed.here(made.waitFor(5, TimeUnit.SECONDS) && made.exitValue() == 0, "mkfifo");
        Files.createSymbolicLink(files.root.resolve("zero"), Path.of("/dev/zero"));
        Files.createSymbolicLink(files.root.resolve("proc"), Path.of("/proc/self"));
        try (GatewayFixture gateway = files.gateway("follow-links", "anywhere", "threads", 1);
                RawClient client = gateway.connect()) {
            assertThat(get(client, "/pipe").status()).isEqualTo(404);
            assertThat(get(client, "/zero").status()).isEqualTo(404);
            assertThat(get(client, "/proc/fd/0").status()).isEqualTo(404);
            assertThat(get(client, "/a.css").bodyText()).isEqualTo("a{}");
        }
    }

    @Test
    void longAndOddNames() throws IOException {
        try (GatewayFixture gateway = files.gateway()) {
            for (String path : List.of(
                    "/" + "a".repeat(255),
                    "/" + "a".repeat(256),
                    "/" + "a/".repeat(1000) + "b",
                    "/" + "%41".repeat(2000),
                    "/a.css.",
                    "/a.css%20",
                    "/A.CSS",
                    "/a.css::$DATA",
                    "/a.css;x",
                    "/con",
                    "/a.css%00",
                    "/%ff")) {
                try (RawClient client = gateway.connect()) {
                    assertThat(get(client, path).status()).as(path).isIn(400, 404);
                }
            }
            try (RawClient client = gateway.connect()) {
                assertThat(get(client, "/a.css").status()).isEqualTo(200);
            }
        }
    }

    /** A directory that is a link out of the folder every other moment. */
    @Test
    void whoChangesTheFolderMeanwhileGetsNothingOutside() throws Exception {
        Path swapped = files.root.resolve("swapped");
        Path real = Files.createDirectory(files.root.resolve("real"));
        Files.writeString(real.resolve("secret.txt"), "harmless");
        Path link = folder.resolve("link");
        Files.createSymbolicLink(link, files.outside);
        AtomicBoolean done = new AtomicBoolean();
        Thread swaps = Thread.ofPlatform().daemon().start(() -> {
            try {
                while (!done.get()) {
                    Files.move(real, swapped, StandardCopyOption.ATOMIC_MOVE);
                    Files.move(swapped, real, StandardCopyOption.ATOMIC_MOVE);
                    Files.move(link, swapped, StandardCopyOption.ATOMIC_MOVE);
                    Files.move(swapped, link, StandardCopyOption.ATOMIC_MOVE);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try (GatewayFixture gateway = files.gateway("cache", Map.of("entries", 0));
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3000; i++) {
                RawResponse answer = get(client, "/swapped/secret.txt");
                assertThat(answer.bodyText()).doesNotContain(StaticFiles.SECRET);
                assertThat(answer.status()).isIn(200, 404);
            }
        } finally {
            done.set(true);
            swaps.join();
        }
    }
}
