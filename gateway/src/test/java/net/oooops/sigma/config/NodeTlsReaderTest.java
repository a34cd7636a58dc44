package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.config.NodeTlsConfig.Trust;
import net.oooops.sigma.config.TlsConfig.Version;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.tls.Certificates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes of {@code https}, and {@code ssl} of their upstream. */
class NodeTlsReaderTest {
    private static final String PIN = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    /** {@code ssl} is its line 7. */
    private static final String SIGMA_JSON = """
            {"proxy-server": {"http": {"id": "web", "port": 8080}},
             "router": [{"id": "r", "proxy-server-id": "web",
             "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
             "proxy-pass": [{"id": "p", "upstream-id": "u"}],
             "upstream": [{"id": "u", "nodes": [
            NODES]
            SSL}]}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    @SuppressWarnings("NullAway.Init")
    private X509Bundle issued;

    @BeforeEach
    void issue() throws IOException {
        certificates = new Certificates(folder);
        issued = certificates.issued("sigma");
        Files.writeString(folder.resolve("a.pem"), issued.getCertificatePEM());
        Files.writeString(folder.resolve("a.key"), issued.getPrivateKeyPEM());
        Files.writeString(folder.resolve("ca.pem"), certificates.authority().getCertificatePEM());
    }

    private ConfigResult read(String nodes, String ssl) {
        byte[] json = SIGMA_JSON
                .replace("NODES", nodes.replace('\'', '"'))
                .replace("SSL", ssl.isEmpty() ? "" : ",\"ssl\": {" + ssl.replace('\'', '"') + "}")
                .getBytes(UTF_8);
        return new ConfigReader(TestPlugins.schemas()).read(json, folder);
    }

    private UpstreamConfig upstream(String nodes, String ssl) {
        ConfigResult result = read(nodes, ssl);
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        return ((ConfigResult.Valid) result).config().upstreams().getFirst();
    }

    private NodeTlsConfig tls(String ssl) {
        return Objects.requireNonNull(upstream("'https://a'", ssl).tls());
    }

    @Test
    void nothingNeedsToBeSaid() {
        UpstreamConfig upstream = upstream("'https://a', 'HTTPS://b:8443', {'url': 'https://[::1]', 'weight': 2}", "");
        assertThat(upstream.protocol()).isEqualTo(Protocol.HTTP);
        assertThat(upstream.scheme()).isEqualTo(NodeScheme.HTTPS);
        assertThat(upstream.nodes().stream().map(NodeConfig::hostAndPort))
                .containsExactly("a:443", "b:8443", "[::1]:443");
        assertThat(upstream.nodes().stream().map(upstream::authority)).containsExactly("a", "b:8443", "[::1]");
        NodeTlsConfig tls = Objects.requireNonNull(upstream.tls());
        assertThat(tls.trust()).isEqualTo(Trust.DEFAULT);
        assertThat(tls.serverName()).isNull();
        assertThat(tls.shown()).isNull();
        assertThat(tls.minVersion()).isEqualTo(Version.TLS_1_2);
        assertThat(tls.ciphers()).isEqualTo(TlsConfig.CIPHERS_DEFAULT);
        assertThat(tls.pointer()).isEqualTo("/upstream/0");
    }

    @Test
    void nodesInTheClearHaveNone() {
        UpstreamConfig upstream = upstream("'http://a:443'", "");
        assertThat(upstream.tls()).isNull();
        assertThat(upstream.authority(upstream.nodes().getFirst())).isEqualTo("a:443");
    }

    @Test
    void allThatCanBeSaid() {
        NodeTlsConfig tls = tls("'ca': 'ca.pem', 'server-name': 'Orders.Internal', 'pins': ['sha256/" + PIN
                + "'], 'certPath': 'a.pem', 'keyPath': 'a.key', 'min-version': 'TLSv1.3'");
        assertThat(tls.trust())
                .isEqualTo(new Trust(
                        folder.resolve("ca.pem"),
                        List.of(certificates.authority().getCertificate()),
                        List.of(PIN),
                        false));
        assertThat(tls.serverName()).isEqualTo("orders.internal");
        assertThat(Objects.requireNonNull(tls.shown()).found().certificate()).isEqualTo(issued.getCertificate());
        assertThat(tls.minVersion()).isEqualTo(Version.TLS_1_3);
        assertThat(tls.pointer()).isEqualTo("/upstream/0/ssl");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            'https://a' | 'keyPath': 'a.key' | 7:10 /upstream/0/ssl/keyPath: "keyPath" (expected: "certPath" beside it)
            'https://a' | 'ca': 'none.pem' | 7:16 /upstream/0/ssl/ca: "none.pem", which is not there (expected: a file)
            'https://a' | 'ca': 'a.key' | 7:16 /upstream/0/ssl/ca: "a.key", which holds no certificate (expected: certificates in PEM)
            'https://a' | 'insecure': true, 'ca': 'ca.pem' | 7:28 /upstream/0/ssl/ca: "ca" (expected: none with "insecure": true, which verifies nothing)
            'https://a' | 'server-name': 'a:443' | 7:25 /upstream/0/ssl/server-name: "a:443" (expected: a host name)
            'https://a' | 'pins': ['sha1/AAAA'] | 7:19 /upstream/0/ssl/pins/0: "sha1/AAAA" (expected: sha256/ and 44 characters of Base64)
            'https://a', 'http://b' | 'ca': 'ca.pem' | 6:14 /upstream/0/nodes/1: "http://b" (expected: https://host:port, as the first node of this upstream has it)
            'http://a' | 'ca': 'ca.pem' | 7:2 /upstream/0/ssl: "ssl" (expected: no such key with http:// nodes; nodes of https:// are spoken to over TLS)
            'tcp://a:1' | 'ca': 'ca.pem' | 7:2 /upstream/0/ssl: "ssl" (expected: no such key with tcp:// nodes; nodes of tls:// are spoken to over TLS)
            """)
    void whatCanNotBe(String nodes, String ssl, String expected) {
        assertThat(((ConfigResult.Invalid) read(nodes, ssl)).text("f").lines()).contains("f:" + expected);
    }

    @Test
    void whoVerifiesNothingIsWarned() {
        ConfigResult.Valid valid = (ConfigResult.Valid) read("'https://a'", "'insecure': true");
        assertThat(valid.warnings().stream().map(warning -> warning.text("f")))
                .containsExactly("f:7:22 /upstream/0/ssl/insecure: true (expected: false: whoever is on the way to the"
                        + " nodes can read and change everything)");
        ConfigResult.Valid pinned =
                (ConfigResult.Valid) read("'https://a'", "'insecure': true, 'pins': ['sha256/" + PIN + "']");
        assertThat(pinned.warnings()).isEmpty();
    }
}
