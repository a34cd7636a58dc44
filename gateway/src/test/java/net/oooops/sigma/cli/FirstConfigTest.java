package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import net.oooops.sigma.config.JsonFormat;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FirstConfigTest {
    private static FirstConfig of(List<String> to, List<String> hosts, @Nullable String port) throws Failure {
        return FirstConfig.of(new FirstWords(to, hosts, port));
    }

    /** Read as any other is, without a warning. */
    private static SigmaConfig read(FirstConfig first) throws Failure {
        Setup setup = Setup.read(
                "first.json", first.json().getBytes(StandardCharsets.UTF_8), PluginsFolder.catalog(null, null));
        setup.snapshot().close();
        assertThat(setup.warnings()).isEmpty();
        return setup.config();
    }

    @Test
    void everythingGoesToTheNode() throws Failure {
        FirstConfig first = of(List.of("http://127.0.0.1:3000"), List.of(), null);

        assertThat(first.json()).isEqualTo("""
                        {
                          "proxy-server": { "http": { "id": "web", "port": 8080 } },
                          "router": [
                            {
                              "id": "main",
                              "proxy-server-id": "web",
                              "route": [{ "id": "all", "path": "/*", "proxy-pass-id": "app" }]
                            }
                          ],
                          "proxy-pass": [{ "id": "app", "upstream-id": "app" }],
                          "upstream": [{ "id": "app", "nodes": ["http://127.0.0.1:3000"] }]
                        }
                        """);
        SigmaConfig config = read(first);
        assertThat(config.listeners().getFirst().host()).isEqualTo("0.0.0.0");
        assertThat(config.listeners().getFirst().port()).isEqualTo(8080);
        assertThat(config.upstreams().getFirst().nodes())
                .containsExactly(new NodeConfig("127.0.0.1", 3000, NodeConfig.WEIGHT_DEFAULT));
    }

    @Test
    void hostsAndAPortCanBeSaid() throws Failure {
        SigmaConfig one = read(of(List.of("http://a"), List.of("Shop.Example.com"), "81"));
        assertThat(one.routers().getFirst().virtualHosts()).containsExactly("shop.example.com");
        assertThat(one.listeners().getFirst().port()).isEqualTo(81);

        FirstConfig two = of(List.of("http://a"), List.of("*.example.com", "[::1]"), "0");
        assertThat(read(two).routers().getFirst().virtualHosts()).containsExactly("*.example.com", "[::1]");
        assertThat(read(of(List.of("http://a"), List.of("[::1]"), null))
                        .routers()
                        .getFirst()
                        .virtualHosts())
                .containsExactly("[::1]");
    }

    @Test
    void nodesOverTlsAreAskedForTheirOwnHost() throws Failure {
        SigmaConfig config =
                read(of(List.of("https://shop.example.com/", "https://other.example.com:8443"), List.of(), null));

        assertThat(config.proxyPasses().getFirst().preserveHost()).isFalse();
        assertThat(config.upstreams().getFirst().nodes())
                .extracting(NodeConfig::port)
                .containsExactly(443, 8443);
        assertThat(read(of(List.of("http://a"), List.of(), null))
                        .proxyPasses()
                        .getFirst()
                        .preserveHost())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"tcp, TCP", "tls, TCP", "udp, UDP"})
    void sessionsHaveAServerOfTheirOwn(String scheme, Protocol protocol) throws Failure {
        SigmaConfig config = read(of(List.of(scheme + "://127.0.0.1:5432"), List.of(), "5433"));

        assertThat(config.listeners()).isEmpty();
        assertThat(config.allListeners()).hasSize(1);
        assertThat(config.allListeners().getFirst().port()).isEqualTo(5433);
        assertThat(config.upstreams().getFirst().protocol()).isEqualTo(protocol);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 30})
    void itIsWrittenAsItWouldBeFormatted(int nodesCount) throws Failure {
        List<String> nodes = java.util.stream.IntStream.range(0, nodesCount)
                .mapToObj(i -> "h2c://10.0.0." + i + ":50051")
                .toList();
        String json = of(nodes, List.of("a.example.com"), null).json();

        assertThat(JsonFormat.format(json.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(new JsonFormat.Formatted(json, true));
        assertThat(json.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3000 | --to: 3000 (expected: a URL such as http://127.0.0.1:3000; did you mean http://127.0.0.1:3000?)",
                "localhost:3000 | --to: localhost:3000 (expected: a URL such as http://127.0.0.1:3000; did you mean http://localhost:3000?)",
                "http://a/b | --to: http://a/b (expected: http://host:port without a path; the plugin \"rewrite-path\" puts one before that of requests; did you mean http://a?)",
                "http://a:b | --to: http://a:b (expected: http://host:port with a port of 1 to 65535)",
                "ftp://a | --to: ftp://a (expected: a URL such as http://127.0.0.1:3000)",
                "tcp://a | --to: tcp://a (expected: tcp://host:port with a port of 1 to 65535)",
                "bolt://a:1 | --to: bolt://a:1 (expected: http://, https://, h2c://, h2://, tcp://, tls:// or udp://; Bolt needs a file)",
                "'' | --to:  (expected: a URL such as http://127.0.0.1:3000)"
            })
    void whatIsNoUrlOfANodeIsToldSo(String to, String message) {
        assertThatThrownBy(() -> of(List.of(to), List.of(), null))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith(message.stripTrailing());
    }

    @Test
    void nodesAreOfOneKindAndEachIsThereOnce() {
        assertThatThrownBy(() -> of(List.of("http://a", "https://b"), List.of(), null))
                .hasMessageContaining("--to: https://b (expected: http://host:port, as the first --to has it)");
        assertThatThrownBy(() -> of(List.of("http://a", "HTTP://A/"), List.of(), null))
                .hasMessageContaining("--to: HTTP://A/ a second time (expected: each node once)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"eighty", "65536", "-1", "", "100000", "8080 "})
    void aPortIsANumber(String port) {
        assertThatThrownBy(() -> of(List.of("http://a"), List.of(), port))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("--port: " + port + " (expected: 1 to 65535, or 0 for any free one)");
    }

    @Test
    void aHostIsAName() {
        assertThatThrownBy(() -> of(List.of("http://a"), List.of("https://shop.example.com"), null))
                .hasMessageContaining(
                        "--host: https://shop.example.com (expected: a host, not a URL; did you mean shop.example.com?)");
        assertThatThrownBy(() -> of(List.of("tcp://a:1"), List.of("shop.example.com"), null))
                .hasMessageContaining("--host: shop.example.com (expected: no such option beside tcp://");
    }
}
