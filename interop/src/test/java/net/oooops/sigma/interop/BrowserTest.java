package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chromium without a window: a page over HTTP/2 that fetches, listens to events, opens a WebSocket, and tells the node what came of each. */
class BrowserTest {
    private static final int ANSWER_MAX_SECONDS = 60;

    @TempDir
    private Path folder;

    @AutoClose
    private final WebNode node = new WebNode();

    @Test
    void aPageInChromium() throws Exception {
        Optional<Path> chromium = Program.find("chromium");
        // Too large to be asked of every machine.
        Needed.here(chromium.isPresent(), "chromium is here (Debian: chromium)", false);
        Certificate certificate = Certificate.make(folder);
        try (EchoNode echo = EchoNode.start(folder);
                Front front = Front.start(folder, certificate, node.port(), echo.port());
                Child _ = Child.program(folder, "chromium", words(chromium.get(), front))) {
            String told = node.results().poll(ANSWER_MAX_SECONDS, TimeUnit.SECONDS);
            assertThat(told).as("what the page found out").isNotNull();
            List<Outcome> outcomes = Outcome.parse(told);
            assertThat(outcomes)
                    .extracting(Outcome::name)
                    .containsExactly(
                            "json", "echo", "empty", "missing", "events", "many", "head", "cookies", "webSocket");
            assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome).isEqualTo(Outcome.passed(outcome.name())));
        }
    }

    private static List<String> words(Path chromium, Front front) throws IOException {
        // Not in the test's own folder: its processes may write there a little longer.
        Path profile = Files.createTempDirectory(Path.of("target"), "chromium").toAbsolutePath();
        return List.of(
                chromium.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--ignore-certificate-errors",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                front.url("http", Wire.H2_TLS) + "/page");
    }
}
