package net.oooops.sigma.plugins.staticresources;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths that can't name anything are answered at once, and nothing is remembered of them. */
class UnnamedPathsTest {
    private static final long VALID_NANOS = 1_000_000_000_000L;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final Cache there = new Cache(new Cache.Bounds(64, 1 << 20, 0), VALID_NANOS);
    private final Cache absent = new Cache(new Cache.Bounds(64, 1 << 20, 0), VALID_NANOS);

    private StaticResources plugin() {
        Rules rules = new Rules(
                Ascii.of(""),
                List.of("index.html"),
                "app.html",
                new MediaTypes(Map.of()),
                Map.of(),
                List.of(),
                false,
                false,
                16,
                1024,
                Refusals.of(new TestContext()));
        Shelf shelf = new Shelf(new Tree(folder, Tree.Links.INSIDE, false), rules);
        return new StaticResources(rules, shelf, new Cache.Pair(there, absent), new Lookers(1), System::nanoTime);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/..data/a", "/.git", "/a%2fb", "/%ff", "/a//b"})
    void areNotLookedUp(String path) throws Exception {
        StaticResources plugin = plugin();
        isMissing(plugin.onRequest(TestExchange.of("GET", path)));
        plugin.close();
    }

    @Test
    void norAreLongOnes() throws Exception {
        StaticResources plugin = plugin();
        isMissing(plugin.onRequest(TestExchange.of("GET", "/" + "a".repeat(60_000))));
        isMissing(plugin.onRequest(TestExchange.of("GET", "/" + "a".repeat(256))));
        plugin.close();
    }

    private void isMissing(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Refuse.class);
        assertThat(absent.heldEntries()).isZero();
        assertThat(there.heldEntries()).isZero();
    }

    /** The page of single-page applications is for them, too. */
    @Test
    void getTheFallback() throws Exception {
        Files.writeString(folder.resolve("app.html"), "<p>app");
        PluginHarness harness = PluginHarness.of(plugin());
        for (int i = 0; i < 2; i++) {
            Outcome outcome = harness.request(TestExchange.of("GET", "/" + "a".repeat(300), "Accept: text/html"));
            assertThat(outcome).isInstanceOf(Outcome.Respond.class);
            assertThat(absent.heldEntries()).isZero();
            assertThat(there.heldEntries()).isEqualTo(1);
        }
        harness.plugin().close();
    }

    @Test
    void pathsCountByTheirLength() throws Exception {
        PluginHarness harness = PluginHarness.of(plugin());
        harness.request(TestExchange.of("GET", "/" + "a".repeat(199)));
        assertThat(absent.heldEntries()).isEqualTo(1);
        assertThat(absent.heldBytes()).isEqualTo(200);
        harness.plugin().close();
    }
}
