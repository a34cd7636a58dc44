package net.oooops.sigma.acme;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code examples/acme.json} promises, with Pebble as its issuer: all is as it is written there but the ports, and who is asked. */
class AcmeExampleTest {
    private static final Path FILE = Path.of("..", "examples", "acme.json");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @Test
    void itGetsItsCertificate() throws Exception {
        Pebble.needed();
        Pebble.Gates gates = Pebble.Gates.free();
        ObjectNode root = (ObjectNode) new ObjectMapper().readTree(Files.readString(FILE));
        ((ObjectNode) root.at("/proxy-server/http")).put("host", "127.0.0.1").put("port", gates.http());
        ((ObjectNode) root.at("/proxy-server/https")).put("host", "127.0.0.1").put("port", gates.https());
        try (Pebble pebble = new Pebble(dir, gates, 90 * 24 * 3600)) {
            pebble.start();
            ((ObjectNode) root.at("/proxy-server/https/ssl/acme"))
                    .put("directory", pebble.directory())
                    .put("ca", pebble.authority().toString())
                    .put("folder", dir.resolve("acme").toString());
            try (AskingGateway gateway = AskingGateway.start(root, gates)) {
                X509Certificate shown = gateway.awaitShown("www.example.com", null);
                assertThat(shown.getSubjectAlternativeNames())
                        .anySatisfy(name -> assertThat(name.get(1)).isEqualTo("www.example.com"));
            }
        }
    }
}
