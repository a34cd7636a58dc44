package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Plugin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Plugins whose work is the same for every request allocate nothing for one. */
class AllocationTest {
    private static final int CALLS = 100_000;

    /** Far below one byte a call: what the test itself and the JVM allocate on this thread. */
    private static final long NOISE_BYTES = 20_000;

    private static final PluginCatalog CATALOG = new PluginCatalog(AllocationTest.class.getClassLoader());

    static Stream<Arguments> plugins() {
        Map<String, Object> edits =
                Map.of("set", Map.of("X-A", "1"), "add", Map.of("X-B", "2"), "remove", List.of("X-C"));
        List<Object> passing = List.of(Map.of("requests", 1_000_000));
        List<Object> refusing = List.of(Map.of("requests", 1, "per", "1m"));
        return Stream.of(
                Arguments.of("x-frame", "DENY"),
                Arguments.of("hsts", Map.of()),
                Arguments.of("csp", Map.of("directive", List.of(Map.of("name", "default-src", "value", "'self'")))),
                Arguments.of("headers", Map.of("request", edits, "response", edits)),
                Arguments.of("rewrite-path", Map.of("regexp", "^/test/(.*)", "replacement", "/$1")),
                Arguments.of("rewrite-path", Map.of("regexp", "^/other", "replacement", "/x")),
                Arguments.of("rate-limit", Map.of("limits", passing, "fields", "off")),
                Arguments.of(
                        "rate-limit", Map.of("limits", passing, "fields", "off", "by", List.of("route", "address"))),
                Arguments.of("rate-limit", Map.of("limits", refusing, "fields", "off")),
                Arguments.of("concurrency-limit", Map.of("max", 1)),
                Arguments.of("metadata", Map.of("values", Map.of("team", "a"), "fields", Map.of("team", "X-Team"))));
    }

    @ParameterizedTest
    @MethodSource("plugins")
    void nothing(String name, Object settings) throws Exception {
        Plugin plugin = Objects.requireNonNull(CATALOG.create(name, settings));
        CountingExchange exchange = new CountingExchange("/test/a/b");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        call(plugin, exchange);
        long before = threads.getCurrentThreadAllocatedBytes();
        call(plugin, exchange);
        long allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(exchange.calls()).isGreaterThanOrEqualTo(2L * CALLS);
        assertThat(allocatedBytes).isLessThan(NOISE_BYTES);
    }

    private static void call(Plugin plugin, Exchange exchange) throws Exception {
        boolean request = plugin.needs().request();
        boolean response = plugin.needs().response();
        boolean end = plugin.needs().end();
        for (int i = 0; i < CALLS; i++) {
            if (request) {
                plugin.onRequest(exchange);
            }
            if (response) {
                plugin.onResponse(exchange);
            }
            if (end) {
                plugin.onEnd(exchange);
            }
        }
    }
}
