package net.oooops.sigma.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Chromium without a window, which loads a page of a node that tells the node what came of each case.
 *
 * @param folder for what it says
 * @param node that has the page
 * @param page its path
 */
record Chromium(Path folder, WebNode node, String page) implements Client {
    private static final int ANSWER_MAX_SECONDS = 60;

    @Override
    public String name() {
        return "Chromium";
    }

    @Override
    public boolean isExpected() {
        // Too large to be asked of every machine.
        return false;
    }

    @Override
    public List<Wire> wires() {
        return List.of(Wire.H2_TLS);
    }

    @Override
    public @Nullable String whyNot() {
        return Program.find("chromium").isPresent() ? null : "chromium is not here (Debian: chromium)";
    }

    @Override
    public List<Outcome> run(Wire wire, String url, Path certificate) {
        try (Child _ = Child.program(folder, "chromium", words(url + page))) {
            String told = node.results().poll(ANSWER_MAX_SECONDS, TimeUnit.SECONDS);
            if (told == null) {
                throw new AssertionError(
                        "the page told nothing (expected: what came of it, within " + ANSWER_MAX_SECONDS + " s)");
            }
            return Outcome.parse(told);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static List<String> words(String url) throws IOException {
        // Not in the test's own folder: its processes may write there a little longer.
        Path profile = Files.createTempDirectory(Path.of("target"), "chromium").toAbsolutePath();
        return List.of(
                Program.find("chromium").orElseThrow().toString(),
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
                url);
    }
}
