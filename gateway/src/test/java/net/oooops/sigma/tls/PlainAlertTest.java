package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients say that don't trust the certificate. */
@Isolated("the log")
class PlainAlertTest {
    private static final byte[] CHANGE_CIPHER_SPEC = {20, 3, 3, 0, 1, 1};
    private static final byte[] UNKNOWN_CA = {21, 3, 3, 0, 2, 2, 48};

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private static int in(byte[]... records) {
        ByteBuf bytes = Unpooled.wrappedBuffer(records);
        try {
            return PlainAlert.in(bytes);
        } finally {
            bytes.release();
        }
    }

    @Test
    void itIsFoundAmongWholeRecords() {
        assertThat(in(UNKNOWN_CA)).isEqualTo(48);
        assertThat(in(CHANGE_CIPHER_SPEC, UNKNOWN_CA)).isEqualTo(48);
        assertThat(in(CHANGE_CIPHER_SPEC)).isEqualTo(-1);
        assertThat(in(new byte[] {21, 3, 3, 0, 2, 2})).as("cut").isEqualTo(-1);
        assertThat(in(new byte[] {21, 3, 3, 0, 3, 2, 48, 1})).as("encrypted").isEqualTo(-1);
        assertThat(in(new byte[] {23, 3, 3, (byte) 0xFF, (byte) 0xFF, 0})).isEqualTo(-1);
        assertThat(in(new byte[0])).isEqualTo(-1);
    }

    @Test
    void othersAreNotExplained() {
        SSLException other = new SSLException("something else");
        assertThat(new PlainAlert().why(other)).isSameAs(other);
        assertThat(new PlainAlert().why(null)).isNull();
    }

    private interface Stranger {
        /** Begins a handshake, and breaks it off: it trusts nobody. */
        void shakesHands(int port) throws IOException;
    }

    private void assertSaid(Stranger stranger, String words) throws IOException {
        Certificates certificates = new Certificates(dir);
        try (LoggedLines log = new LoggedLines(Worker.class);
                ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .tls(Certificates.config(certificates.shown(certificates.issued("a.example"))))
                        .start()) {
            stranger.shakesHands(gateway.port());
            Await.until("counted", () -> gateway.count(Counter.TLS_HANDSHAKES_FAILED) == 1);
            String line = Await.value("said", () -> String.join("", log.lines()), said -> !said.isEmpty());
            assertThat(line).containsIgnoringCase(words).doesNotContain("BAD_PACKET_LENGTH");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void theLogSaysThatJavaDoesntTrustTheCertificate(String version) throws IOException {
        SecureClient stranger = new SecureClient(new Certificates(dir).authority(), null).only(version);
        assertSaid(
                port -> assertThatThrownBy(() -> stranger.handshake(port, "a.example"))
                        .isInstanceOf(SSLException.class),
                "bad_certificate");
    }

    @Test
    void theLogSaysThatOpensslDoesntTrustTheCertificate() throws IOException {
        assertSaid(port -> openssl(port, "-tls1_2"), "unknown_ca");
    }

    /** Unencrypted, when the gateway decrypts already. */
    @Test
    void theLogSaysSoWhereItIsSaidUnencrypted() throws IOException {
        assertSaid(
                port -> openssl(port, "-tls1_3"),
                "the client broke it off, and says unknown_ca: it doesn't trust the certificate");
    }

    private static void openssl(int port, String version) throws IOException {
        Process client = new ProcessBuilder(
                        "openssl", "s_client", "-connect", "127.0.0.1:" + port, "-verify_return_error", version)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        client.getInputStream().readAllBytes();
    }
}
