package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who has been there comes back with a ticket: no certificate is shown and verified once more. */
class ResumptionTest extends CertifiedFixture {
    private static final String GET = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";

    private SecureClient client(String version) {
        return new SecureClient(certificates.authority(), null).only(version);
    }

    /** Tickets of TLS 1.3 come after the handshake: a client has them when it has got an answer. */
    private static void ask(SecureClient client, int port) throws IOException {
        try (RawClient connection = client.connect(port, "a.example")) {
            assertThat(connection.send(GET).readResponse().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void sessionsAreResumedWithTickets(String version) throws IOException {
        TlsConfig config = Certificates.config(certificates.shown(certificates.issued("a.example")));
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway =
                        GatewayFixture.to(node).tls(config).workers(2).start()) {
            SecureClient client = client(version);
            for (int i = 0; i < 5; i++) {
                ask(client, gateway.port());
                assertThat(client.verifiedCount()).isEqualTo(1);
            }
            SecureClient other = client(version);
            ask(other, gateway.port());
            assertThat(other.verifiedCount()).isEqualTo(1);
        }
    }

    /** Where there are several, each certificate has tickets of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void sessionsAreResumedWhereTheHostDecides(String version) throws IOException {
        TlsConfig config = Certificates.config(
                certificates.shown(certificates.issued("b.example")),
                certificates.shown(certificates.issued("a.example")));
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node).tls(config).start()) {
            SecureClient client = client(version);
            for (int i = 0; i < 3; i++) {
                ask(client, gateway.port());
            }
            assertThat(client.verifiedCount()).isEqualTo(1);
        }
    }

    /** With an old ticket one isn't refused, but sees the new certificate; and with the ticket that goes with it that is over, too. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aNewCertificateIsShownOnceAndThenResumed(String version) throws IOException {
        Shown shown = certificates.shown(certificates.issued("a.example"));
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway =
                        GatewayFixture.to(node).tls(Certificates.config(shown)).start()) {
            SecureClient client = client(version);
            ask(client, gateway.port());
            ask(client, gateway.port());
            assertThat(client.verifiedCount()).isEqualTo(1);

            X509Bundle next = certificates.issued("a.example");
            Certificates.write(shown.files(), next);
            Await.until("shown", () -> isShown(gateway.port(), next));
            ask(client, gateway.port());
            assertThat(client.verifiedCount()).isEqualTo(2);
            for (int i = 0; i < 3; i++) {
                ask(client, gateway.port());
            }
            assertThat(client.verifiedCount()).isEqualTo(2);
        }
    }

    private boolean isShown(int port, X509Bundle expected) {
        try (var socket = client("TLSv1.3").handshake(port, "a.example")) {
            return socket.getSession().getPeerCertificates()[0].equals(expected.getCertificate());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
