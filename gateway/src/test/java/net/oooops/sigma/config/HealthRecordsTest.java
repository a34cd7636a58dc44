package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import net.oooops.sigma.config.ActiveCheckConfig.Bolt;
import net.oooops.sigma.config.ActiveCheckConfig.Http;
import net.oooops.sigma.config.ActiveCheckConfig.Rhythm;
import net.oooops.sigma.config.ActiveCheckConfig.Statuses;
import net.oooops.sigma.config.ActiveCheckConfig.Tcp;
import org.junit.jupiter.api.Test;

/** What {@code golden/health-checks.json} says arrives in the records; what is left out has its default. */
class HealthRecordsTest {
    private static final Rhythm RHYTHM_DEFAULT = new Rhythm(seconds(5), seconds(1), seconds(1), 10);

    private final Map<String, HealthConfig> byUpstream = ((ConfigResult.Valid)
                    new ConfigReader(Map.of()).read(TestFiles.path("golden/health-checks.json")))
            .config().upstreams().stream().collect(Collectors.toMap(UpstreamConfig::id, UpstreamConfig::health));

    private static long seconds(long count) {
        return TimeUnit.SECONDS.toNanos(count);
    }

    @Test
    void everythingWritten() {
        Http http = new Http(
                "/a?b", "HEAD", "a.example.com:81", List.of(new Statuses(200, 200), new Statuses(401, 403)), null);
        assertThat(byUpstream)
                .containsEntry(
                        "a",
                        new HealthConfig(new ActiveCheckConfig(
                                http, 81, new Rhythm(seconds(10), seconds(2), seconds(3), 0), 1, 5)));
    }

    @Test
    void whatIsLeftOut() {
        assertThat(byUpstream)
                .containsEntry("b", ofKind(new Bolt(2), 0))
                .containsEntry("d", ofKind(new Tcp("", ""), 53))
                .containsEntry("e", ofKind(new Http("/", "GET", null, List.of(new Statuses(200, 399)), "é"), 81))
                .containsEntry("t", ofKind(new Tcp("c3a90d0a", "0d0a"), 0))
                .containsEntry("u", ofKind(new Tcp("", ""), 0));
    }

    private static HealthConfig ofKind(ActiveCheckConfig.Question question, int port) {
        return new HealthConfig(new ActiveCheckConfig(question, port, RHYTHM_DEFAULT, 2, 3));
    }
}
