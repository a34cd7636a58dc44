package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetryRecordsTest {
    private static RetryConfig read(String retry) {
        String json = """
                {
                  "proxy-server": {"http": {"id": "s", "port": 1}},
                  "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "*", "proxy-pass-id": "p"}]}],
                  "proxy-pass": [{"id": "p", "upstream-id": "u"%s}],
                  "upstream": [{"id": "u", "nodes": ["http://a", "http://b"]}]
                }
                """.formatted(retry);
        ConfigResult result = new ConfigReader(Map.of()).read(json.getBytes(StandardCharsets.UTF_8), Path.of(""));
        if (result instanceof ConfigResult.Invalid invalid) {
            throw new AssertionError(invalid.text("sigma.json"));
        }
        return ((ConfigResult.Valid) result).config().proxyPasses().getFirst().retry();
    }

    @Test
    void everyKeyHasItsPlace() {
        assertThat(read("""
                , "retry": {
                  "tries": 4, "statuses": [503], "try-timeout": "2s", "timeout": "9s", "body": "1KiB", "any-method": true,
                  "hedge": {"enable": true, "min-delay": "30ms", "percent": 7}}
                """))
                .isEqualTo(new RetryConfig(
                        4,
                        List.of(503),
                        Duration.ofSeconds(2).toNanos(),
                        false,
                        Duration.ofSeconds(9).toNanos(),
                        1024,
                        true,
                        new HedgeConfig(true, Duration.ofMillis(30).toNanos(), 7)));
    }

    @Test
    void whereNothingIsSaidNothingIsHedged() {
        assertThat(read("")).isEqualTo(RetryConfig.DEFAULT);
        assertThat(read(", \"retry\": {\"hedge\": {}}")).isEqualTo(RetryConfig.DEFAULT);
        assertThat(RetryConfig.DEFAULT.hedge().enabled()).isFalse();
    }

    @Test
    void aTryIsLimitedByItsNodesSilenceUnlessATimeIsWritten() {
        assertThat(read(", \"retry\": {\"try-timeout\": \"auto\"}")).isEqualTo(RetryConfig.DEFAULT);
        assertThat(RetryConfig.DEFAULT.silentOnly()).isTrue();
        assertThat(read(", \"retry\": {\"try-timeout\": \"10s\"}").silentOnly()).isFalse();
        assertThat(read(", \"retry\": {\"try-timeout\": \"none\"}").tryNanos()).isZero();
    }
}
