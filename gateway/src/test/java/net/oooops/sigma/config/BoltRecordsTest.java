package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.BoltListenerConfig.Bounds;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.junit.jupiter.api.Test;

class BoltRecordsTest {
    private static final String REST = """
            "proxy-pass": [
              { "id": "own-time", "upstream-id": "u", "timeout": { "response": "7s" } },
              { "id": "servers-time", "upstream-id": "u" }
            ],
            "upstream": [{ "id": "u", "nodes": ["bolt://a:1", { "url": "bolt://[::1]:2", "weight": 3 }] }]
            """;

    private static SigmaConfig read(String servers, String more) {
        String json = "{ \"proxy-server\": " + servers + "," + more + REST + "}";
        ConfigResult result = new ConfigReader(Map.of()).read(json.getBytes(UTF_8), Path.of(""));
        if (!(result instanceof ConfigResult.Valid valid)) {
            throw new AssertionError(((ConfigResult.Invalid) result).text(json));
        }
        return valid.config();
    }

    @Test
    void whatIsNotWrittenHasItsDefault() {
        SigmaConfig config = read("""
                { "bolt": [{ "id": "r", "port": 1 }, { "id": "s", "port": 2, "mode": "relay", "proxy-pass-id": "own-time" }] }
                """, "");
        BoltListenerConfig listener = config.bolt().listeners().getFirst();
        assertThat(config.bolt()).isEqualTo(new BoltConfig(List.of(listener), 1, 65_536, seconds(15), 3));
        assertThat(listener.bounds()).isEqualTo(new Bounds(50_000, seconds(90), true, 8 << 20, 1024, 16 << 20));
        assertThat(listener.host()).isEqualTo("0.0.0.0");
        assertThat(listener.routes()).isEmpty();
        TcpListenerConfig relay = config.tcpListeners().getFirst();
        assertThat(relay.protocol()).isEqualTo(Protocol.BOLT);
        assertThat(relay.idleTimeoutNanos()).isEqualTo(seconds(90));
        assertThat(relay.connectionsMax()).isEqualTo(50_000);
        assertThat(config.allListeners().stream().map(Listener::id)).containsExactly("s", "r");
        assertThat(config.upstreams().getFirst().protocol()).isEqualTo(Protocol.BOLT);
    }

    @Test
    void whatIsWrittenHolds() {
        SigmaConfig config = read("""
                { "bolt": [{ "id": "r", "desc": "d", "host": "::1", "port": 1, "max-connections": 2, "idle-timeout": "3s",
                    "tcp-keep-alive": false, "max-frame-size": "4KiB", "max-requests-in-flight": 5, "max-unsent": "6KiB",
                    "request-timeout": "9s" }] }
                """, """
                "proxy-client": { "bolt": { "connections-per-node": 2, "max-requests-in-flight": 3, "heartbeat-interval": "4s",
                    "heartbeat-misses": 5 } },
                "router": [
                  { "id": "x", "proxy-server-id": "r", "route": [
                    { "id": "one", "class-name": "a.*", "header": [{ "name": "K", "exact": "v" }], "proxy-pass-id": "own-time" },
                    { "id": "off", "enable": false, "proxy-pass-id": "own-time" },
                    { "id": "two", "proxy-pass-id": "servers-time" }
                  ] },
                  { "id": "y", "enable": false, "proxy-server-id": "r", "route": [] }
                ],
                """);
        BoltListenerConfig listener = config.bolt().listeners().getFirst();
        assertThat(config.bolt()).isEqualTo(new BoltConfig(List.of(listener), 2, 3, seconds(4), 5));
        assertThat(listener.bounds()).isEqualTo(new Bounds(2, seconds(3), false, 4 << 10, 5, 6 << 10));
        assertThat(listener.routes())
                .containsExactly(
                        new BoltRouteConfig(
                                "x",
                                "one",
                                "a.*",
                                List.of(new ValueMatch("K", ValueMatch.Kind.EXACT, "v")),
                                "own-time",
                                seconds(7)),
                        new BoltRouteConfig("x", "two", "", List.of(), "servers-time", seconds(9)));
        assertThat(config.routers()).isEmpty();
    }

    private static long seconds(int count) {
        return TimeUnit.SECONDS.toNanos(count);
    }
}
