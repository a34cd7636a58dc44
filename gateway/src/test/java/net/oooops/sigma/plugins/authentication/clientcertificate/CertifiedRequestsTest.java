package net.oooops.sigma.plugins.authentication.clientcertificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.certificate.ClientFiles.Found;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.ClientAuth;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Version;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.CertifiedFixture;
import net.oooops.sigma.tls.SecureClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The plugin in a gateway that asks for certificates. */
class CertifiedRequestsTest extends CertifiedFixture {
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayFixture gateway(Map<String, ?> settings) {
        Clients clients = new Clients(
                ClientAuth.REQUEST,
                null,
                new Found(List.of(certificates.authority().getCertificate()), List.of()));
        return GatewayFixture.to(node)
                .tls(new TlsConfig(
                        List.of(certificates.shown(certificates.issued("a.example"))),
                        Version.TLS_1_2,
                        TlsConfig.CIPHERS_DEFAULT,
                        List.of(),
                        false,
                        clients,
                        false,
                        null,
                        "/ssl"))
                .route("/*", GatewayFixture.plugin("client-certificate", settings))
                .start();
    }

    private X509Bundle issued(String subject, String uri) {
        try {
            return Certificates.issued(
                    new CertificateBuilder().subject(subject).addSanUriName(uri), certificates.authority());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The statuses of two requests on one connection. */
    private List<Integer> ask(GatewayFixture gateway, @Nullable X509Bundle own, String version) throws IOException {
        SecureClient client = new SecureClient(certificates.authority(), own).only(version);
        try (RawClient connection = client.connect(gateway.port(), "a.example")) {
            String request = "GET / HTTP/1.1\r\nHost: a.example\r\nX-Consumer-Id: root\r\n\r\n";
            int first = connection.send(request).readResponse().status();
            return List.of(first, connection.send(request).readResponse().status());
        }
    }

    @Test
    void whoHasAKnownCertificateIsLetIn() throws IOException {
        X509Bundle shop = issued("CN=shop", "spiffe://example.com/shop");
        X509Bundle other = issued("CN=shop", "spiffe://example.com/other");
        Map<String, Object> consumer = Map.of("id", "the-shop", "uri", List.of("spiffe://example.com/shop"));
        try (GatewayFixture gateway = gateway(Map.of("consumers", List.of(consumer)))) {
            for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                int before = node.requestCount();
                assertThat(ask(gateway, null, version)).containsExactly(401, 401);
                assertThat(ask(gateway, other, version)).containsExactly(403, 403);
                assertThat(node.requestCount()).isEqualTo(before);
                assertThat(ask(gateway, shop, version)).containsExactly(200, 200);
                for (int i = before; i < before + 2; i++) {
                    assertThat(node.request(i).headers().values("X-Consumer-Id"))
                            .containsExactly("the-shop");
                }
            }
        }
    }

    @Test
    void anyIsWhomItsIssuerNames() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("any", true))) {
            assertThat(ask(gateway, issued("CN=ada,O=Example", "urn:x"), "TLSv1.3"))
                    .containsExactly(200, 200);
            assertThat(node.request(0).headers().values("X-Consumer-Id")).containsExactly("ada");
        }
    }
}
