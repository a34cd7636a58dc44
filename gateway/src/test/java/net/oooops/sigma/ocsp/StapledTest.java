package net.oooops.sigma.ocsp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.ssl.OpenSsl;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.Needed;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.certificate.OcspSigner;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.tls.Certificates;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What OpenSSL's responder says is shown to OpenSSL's client, by servers of HTTPS and of TCP. */
@Isolated("the log")
class StapledTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final int[] ports = FreePorts.several(2);

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    @SuppressWarnings("NullAway.Init")
    private X509Bundle issuer;

    @SuppressWarnings("NullAway.Init")
    private OpensslResponder responder;

    @BeforeEach
    void prepare() {
        OpensslResponder.needed();
        Needed.here(OpenSsl.isAvailable(), "BoringSSL encrypts");
        certificates = new Certificates(dir);
        issuer = certificates.intermediate();
        responder = new OpensslResponder(dir, issuer);
    }

    @AfterEach
    void end() {
        responder.close();
    }

    /** A server of HTTPS that only redirects, and one of TCP, with the same certificate. */
    private static final class Stapling extends WrittenGateway {
        private Stapling(ObjectNode root) throws StartException {
            super(root, 1);
        }

        private static void encrypted(ObjectNode server, int port, Path dir, boolean stapling) {
            server.put("host", "127.0.0.1").put("port", port);
            server.putObject("ssl")
                    .put("certPath", dir.resolve("web.pem").toString())
                    .put("keyPath", dir.resolve("web.key").toString())
                    .put("ocsp-stapling", stapling);
        }

        static Stapling of(Path dir, int[] ports, boolean stapling) throws StartException {
            ObjectNode root = JSON.createObjectNode();
            ObjectNode servers = root.putObject("proxy-server");
            ObjectNode https = servers.putObject("https").put("id", "web");
            https.putObject("plugin").putObject("http-redirect-https");
            ObjectNode tcp =
                    servers.putArray("tcp").addObject().put("id", "bytes").put("proxy-pass-id", "nowhere");
            encrypted(https, ports[0], dir, stapling);
            encrypted(tcp, ports[1], dir, stapling);
            root.putArray("proxy-pass").addObject().put("id", "nowhere").put("upstream-id", "nowhere");
            root.putArray("upstream")
                    .addObject()
                    .put("id", "nowhere")
                    .putArray("nodes")
                    .add("tcp://127.0.0.1:" + FreePorts.one());
            root.set("runtime", runtime());
            return new Stapling(root);
        }
    }

    private Stapling start(boolean stapling) throws StartException {
        return Stapling.of(dir, ports, stapling);
    }

    private X509Bundle issued() {
        return Certificates.issued(OcspSigner.naming(responder.url(), "a.example"), issuer);
    }

    private X509Bundle written() throws IOException {
        return written(issued());
    }

    private X509Bundle written(X509Bundle made) throws IOException {
        Files.writeString(dir.resolve("web.key"), made.getPrivateKeyPEM());
        Files.writeString(dir.resolve("web.pem"), made.getCertificatePathPEM());
        return made;
    }

    private static void assertStapled(int port, X509Bundle shown) {
        String serial = shown.getCertificate().getSerialNumber().toString(16).toUpperCase(Locale.ROOT);
        for (String version : new String[] {"-tls1_2", "-tls1_3"}) {
            Await.value(
                    "a response for " + serial + " with " + version,
                    Await.DEADLINE.multipliedBy(2),
                    () -> OpensslResponder.shownTo(port, version),
                    said -> said.contains("Cert Status: good") && said.contains(serial));
        }
    }

    @Test
    void clientsThatAskAreShownWhatTheResponderSays() throws Exception {
        X509Bundle first = written();
        responder.good(first.getCertificate()).start(60);
        try (Stapling gateway = start(true)) {
            for (int port : ports) {
                assertStapled(port, first);
            }
            assertThat(gateway.count(Counter.OCSP_RESPONSES))
                    .as("once for both servers")
                    .isEqualTo(1);
            assertThat(gateway.count(Counter.OCSP_FAILURES)).isZero();
            // Another certificate gets its own.
            X509Bundle second = issued();
            responder.good(second.getCertificate()).start(60);
            written(second);
            for (int port : ports) {
                assertStapled(port, second);
            }
        }
    }

    /** The issuer's certificate was forgotten, and is put behind it in the same file later. */
    @Test
    void aChainThatIsCompletedLaterIsAskedAbout() throws Exception {
        X509Bundle first = issued();
        String chain = first.getCertificatePathPEM();
        String end = "-----END CERTIFICATE-----";
        Files.writeString(dir.resolve("web.key"), first.getPrivateKeyPEM());
        Files.writeString(dir.resolve("web.pem"), chain.substring(0, chain.indexOf(end) + end.length()) + "\n");
        responder.good(first.getCertificate()).start(60);
        try (LoggedLines log = new LoggedLines(StapleKeeper.class);
                Stapling gateway = start(true)) {
            Await.until(
                    "said", () -> log.lines().stream().anyMatch(line -> line.contains("no OCSP response is shown")));
            Files.writeString(dir.resolve("web.pem"), chain);
            assertStapled(ports[0], first);
            assertThat(gateway.count(Counter.OCSP_FAILURES)).isZero();
            assertThat(log.lines().stream().filter(line -> line.contains("no OCSP response is shown")))
                    .hasSize(1);
        }
    }

    @Test
    void nothingIsAskedOrShownWhereItIsntWanted() throws Exception {
        X509Bundle first = written();
        responder.good(first.getCertificate()).start(60);
        try (Stapling gateway = start(false)) {
            assertThat(OpensslResponder.shownTo(ports[0])).contains("OCSP response: no response sent");
            assertThat(gateway.count(Counter.OCSP_RESPONSES)).isZero();
        }
    }

    @Test
    void aRevokedCertificateIsSaidAndShownWithout() throws Exception {
        X509Bundle first = written();
        responder.revoked(first.getCertificate()).start(60);
        try (LoggedLines log = new LoggedLines(KeptAnswer.class);
                Stapling gateway = start(true)) {
            gateway.awaitCount(Counter.OCSP_REVOKED, 1);
            Await.until("said", () -> log.lines().stream().anyMatch(line -> line.contains("REVOKED since 2025-01-01")));
            assertThat(OpensslResponder.shownTo(ports[0])).contains("OCSP response: no response sent");
        }
    }

    /** Handshakes wait for nobody. */
    @Test
    void withoutItsResponderAllIsServedWithoutAResponse() throws Exception {
        written();
        try (Stapling gateway = start(true)) {
            gateway.awaitCount(Counter.OCSP_FAILURES, 1);
            assertThat(OpensslResponder.shownTo(ports[0]))
                    .contains("OCSP response: no response sent")
                    .contains("subject=CN = a.example");
        }
    }
}
