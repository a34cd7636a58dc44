package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BreakerRecordsTest {
    private static UpstreamConfig read(String upstream, String runtime) {
        String json = """
                {
                  "proxy-server": {"http": {"id": "s", "port": 1}},
                  "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "*", "proxy-pass-id": "p"}]}],
                  "proxy-pass": [{"id": "p", "upstream-id": "u"}],
                  "upstream": [{"id": "u", %s}],
                  "runtime": {%s}
                }
                """.formatted(upstream, runtime);
        ConfigResult result = new ConfigReader(Map.of()).read(json.getBytes(StandardCharsets.UTF_8), Path.of(""));
        if (result instanceof ConfigResult.Invalid invalid) {
            throw new AssertionError(invalid.text("sigma.json"));
        }
        return ((ConfigResult.Valid) result).config().upstreams().getFirst();
    }

    @Test
    void everyKeyOfABreakerHasItsPlace() {
        UpstreamConfig upstream = read("""
                "nodes": ["http://a"], "breaker": {
                  "max-connections": 9, "max-pending": 1, "max-requests": 8, "max-retries": 3,
                  "error-rate": 40, "interval": "5s", "min-requests": 6, "open-time": "7s", "trials": 2,
                  "adaptive": {"enable": true, "min-limit": 4, "max-limit": 10, "tolerance": 110}}
                """, "");
        assertThat(upstream.breaker())
                .isEqualTo(new BreakerConfig(
                        9,
                        1,
                        8,
                        3,
                        40,
                        Duration.ofSeconds(5).toNanos(),
                        6,
                        Duration.ofSeconds(7).toNanos(),
                        2,
                        new BreakerConfig.Adaptive(true, 4, 10, 110)));
    }

    @Test
    void whereNothingIsSaidThereIsNone() {
        UpstreamConfig upstream = read("\"nodes\": [\"http://a\"], \"breaker\": {\"adaptive\": {}}", "");
        assertThat(upstream.breaker()).isEqualTo(BreakerConfig.DEFAULT);
        assertThat(upstream.breaker().isOff()).isTrue();
        assertThat(upstream.zone()).isEmpty();
    }

    @Test
    void nodesSayWhereTheyAreAndWhetherTheyAreBackups() {
        UpstreamConfig upstream = read(
                "\"nodes\": [{\"url\": \"http://a\", \"zone\": \"x\"}, {\"url\": \"http://b\", \"backup\": true, \"weight\": 2}]",
                "\"zone\": \"x\"");
        assertThat(upstream.zone()).isEqualTo("x");
        assertThat(upstream.nodes())
                .containsExactly(new NodeConfig("a", 80, 1, false, "x"), new NodeConfig("b", 80, 2, true, ""));
    }
}
