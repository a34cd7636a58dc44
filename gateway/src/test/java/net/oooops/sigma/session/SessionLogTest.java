package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.SecureClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What sessions leave in the access log: a line each, when they end. */
class SessionLogTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private List<String> lines(String format) throws Exception {
        Path file = dir.resolve("access.log");
        try (RawServer node = RawServer.start();
                TcpFixture gateway = TcpFixture.to(node)
                        .server("plugin", Map.of("ip-restriction", Map.of("deny", List.of("127.0.0.9"))))
                        .top("plugins", Map.of("log-config", Map.of("format", format, "file", file.toString())))
                        .start()) {
            try (RawClient client = gateway.connect();
                    RawClient server = node.accept()) {
                client.send("question").halfClose();
                server.readUntilClose();
                server.send("an answer").halfClose();
                client.readUntilClose();
            }
            gateway.expectRefused(ClientOptions.defaults().withLocalHost("127.0.0.9"));
            gateway.stop(Duration.ofSeconds(5)).get();
            nodePort = node.port();
        }
        return Files.readAllLines(file);
    }

    private int nodePort;

    @Test
    void eachSessionIsOneObject() throws Exception {
        List<String> lines = lines("json");
        assertThat(lines).hasSize(2);
        JsonNode whole = new ObjectMapper().readTree(lines.getFirst());
        assertThat(texts(whole, "client", "status", "bytes", "listener", "upstream", "node", "attempts"))
                .containsExactly("127.0.0.1", "0", "9", "tcp", "upstream", "127.0.0.1:" + nodePort, "1");
        assertThat(texts(whole, "method", "target", "protocol", "host", "route", "flag", "reason"))
                .containsOnly("null");
        assertThat(whole.get("duration_ms").doubleValue()).isPositive();
        JsonNode refused = new ObjectMapper().readTree(lines.getLast());
        assertThat(texts(refused, "client", "node", "attempts", "flag", "reason"))
                .containsExactly("127.0.0.9", "null", "0", "PR", "SESSION_REFUSED");
    }

    @Test
    void combinedLinesHaveNoRequest() throws Exception {
        List<String> lines = lines("combined");
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst()).startsWith("127.0.0.1 - - [").endsWith("] \"-\" 000 9 \"-\" \"-\" -");
        assertThat(lines.getLast()).startsWith("127.0.0.9 - - [").endsWith("] \"-\" 000 0 \"-\" \"-\" PR");
    }

    @Test
    void aTemplateHasWhatASessionHas() throws Exception {
        List<String> lines = lines(
                "{client-address} \"{request-line}\" {status} {bytes} {listener} {node} {attempts} {flag} {scheme}");
        assertThat(lines)
                .containsExactly(
                        "127.0.0.1 \"-\" 000 9 tcp 127.0.0.1:" + nodePort + " 1 - -",
                        "127.0.0.9 \"-\" 000 0 tcp - 0 PR -");
    }

    @Test
    void theClientIsTheOneThatTheProxyNames() throws Exception {
        Path file = dir.resolve("access.log");
        String format = "{client-address} {peer-address}";
        try (RawServer node = RawServer.start();
                TcpFixture gateway = TcpFixture.to(node)
                        .server("proxy-protocol", true)
                        .server("trusted-proxies", List.of("127.0.0.0/8"))
                        .top("plugins", Map.of("log-config", Map.of("format", format, "file", file.toString())))
                        .start()) {
            try (RawClient client = gateway.connect()) {
                client.send("PROXY TCP4 192.0.2.7 192.0.2.1 5000 25\r\nquestion");
                try (RawClient server = node.accept()) {
                    client.halfClose();
                    server.readUntilClose();
                    server.halfClose();
                    client.readUntilClose();
                }
            }
            gateway.stop(Duration.ofSeconds(5)).get();
        }
        assertThat(Files.readAllLines(file)).containsExactly("192.0.2.7 127.0.0.1");
    }

    /** That of the handshake, where TLS is passed through. */
    @Test
    void theHostThatIsAskedForIsTold() throws Exception {
        Path file = dir.resolve("access.log");
        SecureClient secure = new SecureClient(new Certificates(dir).authority(), null);
        try (RawServer node = RawServer.start();
                TcpFixture gateway = TcpFixture.to(node)
                        .leads("passed", Map.of("sni", "b.example"), "tcp://127.0.0.1:" + node.port())
                        .nowhereElse()
                        .top("plugins", Map.of("log-config", Map.of("format", "json", "file", file.toString())))
                        .start()) {
            try (RawClient client = gateway.connect()) {
                client.send(secure.hello("b.example"));
                node.accept().close();
            }
            gateway.stop(Duration.ofSeconds(5)).get();
        }
        JsonNode line = new ObjectMapper().readTree(Files.readString(file));
        assertThat(texts(line, "client", "host", "status", "route"))
                .containsExactly("127.0.0.1", "b.example", "0", "passed");
    }

    private static List<String> texts(JsonNode line, String... members) {
        List<String> texts = new ArrayList<>();
        for (String member : members) {
            texts.add(line.get(member).asText());
        }
        return texts;
    }
}
