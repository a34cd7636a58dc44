package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chromium without a window: a page over HTTP/2 that fetches, listens to events, opens a WebSocket, and tells the node what came of each. */
class BrowserTest {
    @TempDir
    private Path folder;

    @AutoClose
    private final WebNode node = new WebNode();

    @Test
    void aPageInChromium() {
        Chromium chromium = new Chromium(folder, node, "/page");
        // Too large to be asked of every machine.
        Needed.here(chromium.whyNot() == null, "chromium, the browser: " + chromium.whyNot(), false);
        Certificate certificate = Certificate.make(folder);
        try (EchoNode echo = EchoNode.start(folder);
                Front front = Front.start(folder, certificate, node.port(), echo.port())) {
            List<Outcome> outcomes = chromium.run(Wire.H2_TLS, front.url("http", Wire.H2_TLS), certificate.file());
            assertThat(outcomes)
                    .extracting(Outcome::name)
                    .containsExactly(
                            "json", "echo", "empty", "missing", "events", "many", "head", "cookies", "webSocket");
            assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome).isEqualTo(Outcome.passed(outcome.name())));
        }
    }
}
