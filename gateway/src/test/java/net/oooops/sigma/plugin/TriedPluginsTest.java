package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.junit.jupiter.api.Test;

/** Plugins that are made to be tried, of which there may be thousands. */
class TriedPluginsTest {
    private static final int COUNT = 2000;
    private static final AtomicInteger COMPARISONS = new AtomicInteger();

    /** Settings that count how often they are compared. */
    private static final class Counting extends LinkedHashMap<String, Object> {
        private static final long serialVersionUID = 1;

        private Counting(int number) {
            put("response", Map.of("set", Map.of("X-Number", String.valueOf(number))));
        }

        @Override
        public boolean equals(Object other) {
            COMPARISONS.incrementAndGet();
            return super.equals(other);
        }

        @Override
        public int hashCode() {
            return super.hashCode();
        }
    }

    @Test
    void eachIsFoundWithoutComparingItWithAllOthers() {
        PluginCatalog catalog = new PluginCatalog(TriedPluginsTest.class.getClassLoader());
        COMPARISONS.set(0);
        try (TriedPlugins tried = new TriedPlugins(catalog, TriedPlugins.Known.NONE)) {
            for (int i = 0; i < COUNT; i++) {
                tried.tryOut("headers", new Counting(i), Protocol.HTTP);
            }
            for (int i = COUNT - 1; i >= 0; i--) {
                assertThat(tried.create("headers", new Counting(i))).isNotNull();
            }
        }
        assertThat(COMPARISONS.get()).isLessThanOrEqualTo(2 * COUNT);
    }

    @Test
    void eachIsGivenOnce() {
        PluginCatalog catalog = new PluginCatalog(TriedPluginsTest.class.getClassLoader());
        try (TriedPlugins tried = new TriedPlugins(catalog, TriedPlugins.Known.NONE)) {
            tried.tryOut("headers", new Counting(1), Protocol.HTTP);
            tried.tryOut("headers", new Counting(1), Protocol.HTTP);
            assertThat(tried.create("headers", new Counting(1)))
                    .isNotNull()
                    .isNotSameAs(tried.create("headers", new Counting(1)))
                    .isNotSameAs(tried.create("headers", new Counting(1)));
        }
    }
}
