package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which version of HTTP nodes are spoken to in: as their URLs and {@code protocol} of their upstream say. */
class HttpVersionTest {
    /** What is said of the upstream is its line 6. */
    private static final String SIGMA_JSON = """
            {"proxy-server": {"http": {"id": "web", "port": 8080}},
             "router": [{"id": "r", "proxy-server-id": "web",
             "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
             "proxy-pass": [{"id": "p", "upstream-id": "u"}],
             "upstream": [{"id": "u",
            SAID}]}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private ConfigResult read(String said) {
        byte[] json = SIGMA_JSON.replace("SAID", said.replace('\'', '"')).getBytes(UTF_8);
        return new ConfigReader(TestPlugins.schemas()).read(json, folder);
    }

    private UpstreamConfig upstream(String said) {
        ConfigResult result = read(said);
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        return ((ConfigResult.Valid) result).config().upstreams().getFirst();
    }

    private static List<String> offered(UpstreamConfig upstream) {
        NodeTlsConfig tls = upstream.tls();
        return tls == null ? List.of() : tls.alpn();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'nodes': ['http://a']                                 | HTTP  | HTTP_1_1 | a:80
            'nodes': ['http://a'], 'protocol': 'http/1.1'         | HTTP  | HTTP_1_1 | a:80
            'nodes': ['http://a'], 'protocol': 'h2c'              | H2C   | HTTP_2   | a:80
            'nodes': ['h2c://a'], 'protocol': 'h2c'               | H2C   | HTTP_2   | a:80
            'nodes': ['h2c://a', 'http://b'], 'protocol': 'h2c'   | H2C   | HTTP_2   | a:80
            'nodes': ['https://a']                                | HTTPS | HTTP_1_1 | a:443
            'nodes': ['https://a'], 'protocol': 'http/1.1'        | HTTPS | HTTP_1_1 | a:443
            'nodes': ['https://a'], 'protocol': 'h2'              | H2    | HTTP_2   | a:443
            'nodes': ['h2://a'], 'protocol': 'h2'                 | H2    | HTTP_2   | a:443
            'nodes': ['https://a'], 'protocol': 'auto'            | HTTPS | AGREED   | a:443
            'dns-srv': '_h._tcp.a', 'protocol': 'auto'            | HTTPS | AGREED   |
            'dns-srv': '_h._tcp.a', 'protocol': 'h2'              | H2    | HTTP_2   |
            'dns-srv': '_h._tcp.a', 'protocol': 'h2c'             | H2C   | HTTP_2   |
            'dns-srv': '_h._tcp.a', 'protocol': 'https'           | HTTPS | HTTP_1_1 |
            'dns-srv': '_h._tcp.a'                                | HTTP  | HTTP_1_1 |
            """)
    void nodesAreSpokenToAsIsSaid(String said, NodeScheme scheme, HttpVersion version, String first) {
        UpstreamConfig upstream = upstream(said);
        assertThat(upstream.scheme()).isEqualTo(scheme);
        assertThat(upstream.httpVersion()).isEqualTo(version);
        assertThat(offered(upstream))
                .isEqualTo(
                        !scheme.isSecure()
                                ? List.of()
                                : switch (version) {
                                    case HTTP_1_1 -> List.of("http/1.1");
                                    case HTTP_2 -> List.of("h2");
                                    case AGREED -> List.of("h2", "http/1.1");
                                });
        if (first != null) {
            assertThat(upstream.nodes().getFirst().hostAndPort()).isEqualTo(first);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            auto | https://a
            h2   | https://a
            h2   | h2://a
            h2c  | http://a
            h2c  | h2c://a
            """)
    void nodesOfAFileMayLeaveTheVersionToTheUpstream(String protocol, String url) throws IOException {
        Files.writeString(folder.resolve("nodes.json"), "[\"" + url + "\"]");
        assertThat(upstream("'nodes-file': 'nodes.json', 'protocol': '" + protocol + "'")
                        .nodes()
                        .getFirst()
                        .host())
                .isEqualTo("a");
    }

    @Test
    void nodesOfAFileDoNotContradictIt() throws IOException {
        Files.writeString(folder.resolve("nodes.json"), "[\"http://a\", \"h2://a:1\"]");
        assertThat(((ConfigResult.Invalid) read("'nodes-file': 'nodes.json', 'protocol': 'auto'"))
                        .text("f")
                        .lines())
                .contains(
                        "f:6:15 /upstream/0/nodes-file: nodes.json:1:2 /0: \"http://a\" (expected: https://host:port, as"
                                + " \"protocol\" of the upstream says)",
                        "f:6:15 /upstream/0/nodes-file: nodes.json:1:14 /1: \"h2://a:1\" (expected: https://host:port, as"
                                + " \"protocol\" of the upstream says)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'protocol': 'auto', 'nodes': ['http://a'] | /upstream/0/protocol: "auto" (expected: "http/1.1" or "h2c" with nodes of http://: a version is agreed on in the handshake of TLS only)
            'protocol': 'h2', 'nodes': ['http://a'] | /upstream/0/protocol: "h2" (expected: "http/1.1" or "h2c" with nodes of http://)
            'protocol': 'http', 'nodes': ['http://a'] | /upstream/0/protocol: "http" (expected: "http/1.1" or "h2c" with nodes of http://)
            'protocol': 'h2c', 'nodes': ['https://a'] | /upstream/0/protocol: "h2c" (expected: "http/1.1", "h2" or "auto" with nodes of https://)
            'protocol': 'h2c', 'nodes': ['h2://a'] | /upstream/0/protocol: "h2c" (expected: "h2" with nodes of h2://)
            'protocol': 'auto', 'nodes': ['h2://a'] | /upstream/0/protocol: "auto" (expected: "h2" with nodes of h2://)
            'protocol': 'http/1.1', 'nodes': ['h2c://a'] | /upstream/0/protocol: "http/1.1" (expected: "h2c" with nodes of h2c://)
            'protocol': 'http/1.1', 'dns-srv': '_h._tcp.a' | /upstream/0/protocol: "http/1.1" (expected: "http", or "https" for HTTP/1.1 over TLS)
            'protocol': 'auto', 'nodes': ['https://a', 'http://b'] | /upstream/0/nodes/1: "http://b" (expected: https://host:port, as the first node of this upstream and "protocol" say)
            'protocol': 'h2c', 'nodes': ['http://a', 'https://b'] | /upstream/0/nodes/1: "https://b" (expected: h2c://host:port, as the first node of this upstream and "protocol" say)
            'protocol': 'tcp', 'nodes': ['tcp://a:1'] | /upstream/0/protocol: "protocol" (expected: no such key with "nodes"; the schemes of their URLs say it)
            'protocol': 'auto', 'nodes': ['https://a'], 'ssl': {'alpn': 'h2'} | /upstream/0/ssl/alpn: "alpn" (expected: no such key with https:// nodes; "protocol" of the upstream says which version of HTTP is spoken)
            """)
    void whatContradictsItself(String said, String expected) {
        assertThat(((ConfigResult.Invalid) read(said)).text("f").lines())
                .anySatisfy(line -> assertThat(line).startsWith("f:6:").endsWith(expected));
    }
}
