package net.oooops.sigma.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
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

    /** Those that need none, whatever a request is like that they let pass. */
    static Stream<Arguments> plugins() {
        Map<String, Object> edits =
                Map.of("set", Map.of("X-A", "1"), "add", Map.of("X-B", "2"), "remove", List.of("X-C"));
        List<Object> passing = List.of(Map.of("requests", 1_000_000));
        List<Object> refusing = List.of(Map.of("requests", 1, "per", "1m"));
        Map<String, Object> split = Map.of("splits", List.of(Map.of("proxy-pass-id", "next", "percent", 50)));
        return Stream.of(
                Arguments.of("x-frame", "DENY"),
                Arguments.of("hsts", Map.of()),
                Arguments.of("csp", Map.of("directive", List.of(Map.of("name", "default-src", "value", "'self'")))),
                Arguments.of("headers", Map.of("request", edits, "response", edits)),
                Arguments.of("rewrite-path", Map.of("regexp", "^/test/(.*)", "replacement", "/$1")),
                Arguments.of("rewrite-path", Map.of("regexp", "^/other", "replacement", "/x")),
                Arguments.of("rewrite-query", Map.of("remove", List.of("utm_source"))),
                Arguments.of("rate-limit", Map.of("limits", passing, "fields", "off")),
                Arguments.of(
                        "rate-limit", Map.of("limits", passing, "fields", "off", "by", List.of("route", "address"))),
                Arguments.of("rate-limit", Map.of("limits", refusing, "fields", "off")),
                Arguments.of("concurrency-limit", Map.of("max", 1)),
                Arguments.of("metadata", Map.of("values", Map.of("team", "a"), "fields", Map.of("team", "X-Team"))),
                Arguments.of("ip-restriction", Map.of("allow", List.of("127.0.0.0/8", "10.0.0.0/8"))),
                Arguments.of("ip-restriction", Map.of("deny", List.of("127.0.0.0/8"))),
                Arguments.of("traffic-split", split),
                Arguments.of("body-limit", Map.of("max", "1MiB")),
                Arguments.of("csrf", Map.of()),
                Arguments.of("cors", Map.of("allow-origins", List.of("https://www.example.com"))),
                Arguments.of("set-cookie", Map.of("rules", List.of(Map.of("secure", true)))),
                Arguments.of("server-version", Map.of()),
                Arguments.of("respond", Map.of("status", 204)),
                Arguments.of("fault-injection", Map.of("abort", Map.of("status", 503, "percent", 1))),
                Arguments.of("mirror", Map.of("proxy-pass-id", "next", "percent", 0)),
                Arguments.of("compression", Map.of()),
                Arguments.of("gzip", Map.of()),
                Arguments.of("decompress-request", Map.of()),
                Arguments.of("grpc-web", Map.of()),
                Arguments.of("http-redirect-https", Map.of()),
                Arguments.of("key-auth", Map.of("consumers", List.of(), "optional", true)));
    }

    @ParameterizedTest
    @MethodSource("plugins")
    void nothing(String name, Object settings) throws Exception {
        assertThat(allocatedBytes(name, settings, new CountingExchange("/test/a/b")))
                .isLessThan(NOISE_BYTES);
    }

    static Stream<Arguments> plans() {
        List<Object> passing = List.of(Map.of("requests", 1_000_000));
        List<Object> refusing = List.of(Map.of("requests", 1, "per", "1m"));
        return Stream.of(
                Arguments.of("rate-limit", limits(passing, refusing)),
                Arguments.of("rate-limit", limits(refusing, passing)),
                Arguments.of("concurrency-limit", Map.of("max", 1, "plans", List.of(Map.of("id", "gold", "max", 2)))));
    }

    private static Map<String, Object> limits(Object rest, Object gold) {
        List<Object> plans = List.of(Map.of("id", "gold", "limits", gold));
        return Map.of("limits", rest, "plans", plans, "by", "consumer", "fields", "off");
    }

    @ParameterizedTest
    @MethodSource("plans")
    void nothingForPlans(String name, Object settings) throws Exception {
        Consumer consumer = Consumer.of("ann", Field.of("X-Consumer-Plan", "gold"));
        assertThat(allocatedBytes(name, settings, new CountingExchange("/test/a/b").withConsumer(consumer)))
                .isLessThan(NOISE_BYTES);
    }

    /** What is different each time is made each time: an id, a digest of a key, fields that count down. No more than that, in bytes for each exchange. */
    static Stream<Arguments> makers() {
        String hash = "sha256:f39dac6cbaba535e2c207cd0cd8f154974223c848f727f98b3564cea569b41cf";
        List<Object> consumers = List.of(Map.of("id", "ada", "keys", List.of(hash)));
        return Stream.of(
                Arguments.of("request-id", Map.of(), 320),
                Arguments.of("key-auth", Map.of("consumers", consumers), 64),
                Arguments.of("rate-limit", Map.of("limits", List.of(Map.of("requests", 1_000_000))), 320));
    }

    @ParameterizedTest
    @MethodSource("makers")
    void littleWhereItIsDifferentEachTime(String name, Object settings, int bytes) throws Exception {
        CountingExchange exchange = new CountingExchange("/test/a/b").withField("X-API-Key", "abcdefghijklmnop");
        assertThat(allocatedBytes(name, settings, exchange) / CALLS).isLessThanOrEqualTo(bytes);
    }

    private static long allocatedBytes(String name, Object settings, CountingExchange exchange) throws Exception {
        Plugin plugin = Objects.requireNonNull(CATALOG.create(name, settings));
        assertThat(plugin.needs().request() || plugin.needs().response()).isTrue();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        call(plugin, exchange);
        long before = threads.getCurrentThreadAllocatedBytes();
        call(plugin, exchange);
        long allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
        plugin.close();
        return allocatedBytes;
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
