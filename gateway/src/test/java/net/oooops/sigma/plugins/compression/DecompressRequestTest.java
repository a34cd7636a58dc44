package net.oooops.sigma.plugins.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

/** How many bodies {@code decompress-request} lets in. */
class DecompressRequestTest {
    private static final String ADA = "192.0.2.1";
    private static final String BOB = "192.0.2.2";

    private final DecompressRequestFactory factory = new DecompressRequestFactory();
    private final TestContext context = new TestContext();
    private final List<TestExchange> underWay = new ArrayList<>();

    private PluginHarness place(String key, Object value) {
        return PluginHarness.of(factory.create(Settings.of(Map.of(key, value)), context));
    }

    /** What a client's next is answered with; 0: it goes on. */
    private int next(PluginHarness place, String client, String coding) throws Exception {
        TestExchange exchange = TestExchange.of("POST", "/", "Content-Encoding: " + coding, "Content-Length: 9")
                .withAddresses(client, client);
        if (place.request(exchange) instanceof Outcome.Respond respond) {
            return respond.response().status();
        }
        underWay.add(exchange);
        return 0;
    }

    /** Ten places hold no more than one, nor does what a reload replaces: each lets in by its own settings. */
    @Test
    void soManyAtOnceOverAllPlaces() throws Exception {
        PluginHarness first = place("max-bodies", 8);
        PluginHarness second = place("max-bodies", 8);
        PluginHarness smaller = place("max-bodies", 4);
        assertThat(next(first, ADA, "gzip")).isZero();
        assertThat(next(smaller, ADA, "gzip"))
                .as("it has as many as it may have there")
                .isEqualTo(429);
        assertThat(next(second, ADA, "gzip")).isZero();
        assertThat(next(first, ADA, "gzip")).isEqualTo(429);
        first.plugin().close();
        PluginHarness reloaded = place("max-bodies", 7);
        assertThat(next(reloaded, ADA, "gzip")).isEqualTo(429);
        assertThat(next(reloaded, BOB, "gzip")).isZero();
        assertThat(next(reloaded, "192.0.2.3", "gzip")).isZero();
        assertThat(next(smaller, "192.0.2.4", "gzip")).isEqualTo(503);
        assertThat(next(second, "192.0.2.4", "gzip")).isZero();
        assertThat(context.count("bodies")).isEqualTo(5);
        underWay.get(0).passRequest();
        assertThat(next(reloaded, ADA, "gzip")).isZero();
        assertThat(context.count("bodies")).isEqualTo(5);
    }

    @Test
    void soMuchMemoryOverAllPlaces() throws Exception {
        PluginHarness first = place("max-memory", "64MiB");
        PluginHarness second = place("max-memory", "64MiB");
        for (int i = 1; i <= 8; i++) {
            assertThat(next(i % 2 == 0 ? first : second, "192.0.2." + i, "zstd"))
                    .isZero();
        }
        assertThat(next(first, "192.0.2.9", "gzip")).isEqualTo(503);
        assertThat(next(second, "192.0.2.9", "gzip")).isEqualTo(503);
    }
}
