package net.oooops.sigma.acme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates from a real issuer. */
@Tag("long")
class PebbleTest extends PebbleFixture {
    private static List<String> names(X509Certificate certificate) throws Exception {
        return certificate.getSubjectAlternativeNames().stream()
                .map(name -> String.valueOf(name.get(1)))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http-01", "tls-alpn-01"})
    void theFirstCertificateComesAndIsKept(String challenge) throws Exception {
        pebble.start();
        X509Certificate first;
        try (AskingGateway gateway = AskingGateway.start(pebble, gates, folder, challenge, HOST)) {
            first = gateway.awaitShown(HOST, null);
            assertThat(names(first)).containsExactly(HOST);
            assertThat(first.getIssuerX500Principal().getName()).contains("Pebble");
            gateway.awaitCount(Counter.ACME_CERTIFICATES, 1);
            assertThat(gateway.count(Counter.ACME_FAILURES)).isZero();
        }
        assertSecret(folder);
        int orders = pebble.orders();
        try (AskingGateway gateway = AskingGateway.start(pebble, gates, folder, challenge, HOST)) {
            assertThat(gateway.shown(HOST)).as("from the start on").isEqualTo(first);
            // Who is new is asked for, behind the one that is there.
        }
        try (AskingGateway gateway = AskingGateway.start(pebble, gates, folder, challenge, HOST, "b.sigma.test")) {
            assertThat(names(gateway.awaitShown("b.sigma.test", first))).containsExactly("b.sigma.test");
            assertThat(gateway.shown(HOST)).isEqualTo(first);
        }
        assertThat(pebble.orders()).as("one for the new host").isEqualTo(orders + 1);
        pebble.close();
        try (AskingGateway gateway = AskingGateway.start(pebble, gates, folder, challenge, HOST, "c.sigma.test")) {
            gateway.awaitCount(Counter.ACME_FAILURES, 1);
            assertThat(gateway.shown(HOST)).as("without its issuer").isEqualTo(first);
        }
    }

    /** Folders are their owner's alone, and so are files. */
    static void assertSecret(Path folder) throws Exception {
        List<Path> all;
        try (var paths = Files.walk(folder)) {
            all = paths.toList();
        }
        assertThat(all.stream().map(path -> String.valueOf(path.getFileName()))).contains(HOST + ".pem", "account.key");
        for (Path each : all) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                    .as(each.toString())
                    .isEqualTo(Files.isDirectory(each) ? "rwx------" : "rw-------");
        }
    }

    @Test
    void shortOnesAreRenewedInTime() throws Exception {
        pebble = new Pebble(dir, gates, 9);
        pebble.start();
        try (AskingGateway gateway = AskingGateway.start(pebble, gates, folder, null, HOST)) {
            X509Certificate first = gateway.awaitShown(HOST, null);
            X509Certificate second = gateway.awaitShown(HOST, first);
            assertThat(second.getNotBefore()).as("while the first was good").isBefore(first.getNotAfter());
            assertThat(second.getPublicKey()).isNotEqualTo(first.getPublicKey());
        }
    }

    /** Nothing is shown in its place, and whoever wants to know why finds it counted. */
    @Test
    void withoutItsIssuerItServesTheRestAndRefusesTheHost() throws Exception {
        try (AskingGateway gateway = AskingGateway.start(pebble, gates, folder, null, HOST)) {
            gateway.awaitCount(Counter.ACME_FAILURES, 1);
            assertThatThrownBy(() -> gateway.shown(HOST))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("unrecognized_name");
            gateway.awaitCount(Counter.TLS_HANDSHAKES_EARLY, 1);
            assertThat(gateway.count(Counter.TLS_HANDSHAKES_FAILED)).isZero();
            try (RawClient client = gateway.connect()) {
                client.send("GET /.well-known/acme-challenge/unknown HTTP/1.1\r\nHost: " + HOST + "\r\n\r\n");
                assertThat(client.readResponse().status())
                        .as("the ordinary road")
                        .isEqualTo(308);
            }
        }
    }

    /** Plain HTTP isn't to be reached from there: the other way is taken. */
    @Test
    void whereOneWayIsClosedTheOtherIsTaken() throws Exception {
        pebble = new Pebble(dir, new Pebble.Gates(gates.https(), gates.https()), QUARTER_SECONDS);
        pebble.start();
        try (AskingGateway gateway = AskingGateway.start(pebble, gates, folder, null, HOST)) {
            assertThat(names(gateway.awaitShown(HOST, null))).containsExactly(HOST);
            gateway.awaitCount(Counter.ACME_CERTIFICATES, 1);
            assertThat(gateway.count(Counter.ACME_FAILURES)).as("one try").isZero();
        }
    }

    @Test
    void ofTwoWithOneFolderOneAsks() throws Exception {
        pebble.askingNobody().start();
        Pebble.Gates others = Pebble.Gates.free();
        try (AskingGateway one = AskingGateway.start(pebble, gates, folder, null, HOST);
                AskingGateway other = AskingGateway.start(pebble, others, folder, null, HOST)) {
            X509Certificate shown = one.awaitShown(HOST, null);
            assertThat(other.awaitShown(HOST, null)).isEqualTo(shown);
            Await.until(
                    "asked once",
                    () -> one.count(Counter.ACME_CERTIFICATES) + other.count(Counter.ACME_CERTIFICATES) == 1);
            assertThat(pebble.orders()).isEqualTo(1);
        }
    }
}
