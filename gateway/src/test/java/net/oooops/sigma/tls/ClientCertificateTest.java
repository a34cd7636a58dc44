package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.handler.ssl.OpenSslCertificateException;
import io.netty.handler.ssl.SslProvider;
import io.netty.internal.tcnative.CertificateVerifier;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.certificate.ClientFiles;
import net.oooops.sigma.certificate.ClientFiles.Found;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.ClientAuth;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Version;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients show certificates, which are verified; nodes get to see them. */
class ClientCertificateTest {
    private final Instant now = Instant.now();
    private final Instant tomorrow = now.plus(1, ChronoUnit.DAYS);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    /** Who issues the certificates of clients; that of the gateway is another's. */
    @SuppressWarnings("NullAway.Init")
    private Certificates ofClients;

    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));

    @BeforeEach
    void issue() {
        certificates = new Certificates(dir);
        ofClients = new Certificates(dir);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayFixture gateway(ClientAuth auth, X509CRL... lists) {
        return gateway(
                new Clients(auth, null, new Found(List.of(ofClients.authority().getCertificate()), List.of(lists))));
    }

    private GatewayFixture gateway(Clients clients) {
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
                .start();
    }

    private SecureClient client(@Nullable X509Bundle own) {
        return new SecureClient(certificates.authority(), own);
    }

    /** One that is asked; it fails where the client is refused, in TLS 1.3 only when it reads. */
    private ReceivedRequest ask(GatewayFixture gateway, SecureClient client) throws IOException {
        try (RawClient connection = client.connect(gateway.port(), "a.example")) {
            connection.send(
                    "GET / HTTP/1.1\r\nHost: a.example\r\nClient-Cert: :aaaa:\r\nClient-Cert-Chain: :bbbb:\r\n\r\n");
            assertThat(connection.readResponse().status()).isEqualTo(200);
        }
        return node.request(node.requestCount() - 1);
    }

    private void assertTaken(GatewayFixture gateway, X509Bundle own) throws IOException {
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            ReceivedRequest seen = ask(gateway, client(own).only(version));
            assertThat(seen.headers().values("Client-Cert")).as(version).containsExactly(field(own.getCertificate()));
        }
    }

    /** Where they are only requested, this says that one was shown, too: without one, the client would have been served. */
    private void assertRefused(GatewayFixture gateway, @Nullable X509Bundle own) {
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            int before = node.requestCount();
            long failed = gateway.count(Counter.TLS_HANDSHAKES_FAILED);
            assertThatThrownBy(() -> ask(gateway, client(own).only(version)))
                    .as(version)
                    .isInstanceOfAny(IOException.class, AssertionError.class);
            Await.until("refused", () -> gateway.count(Counter.TLS_HANDSHAKES_FAILED) == failed + 1);
            assertThat(node.requestCount()).as(version).isEqualTo(before);
        }
    }

    private static String field(X509Certificate certificate) {
        try {
            return ":" + Base64.getEncoder().encodeToString(certificate.getEncoded()) + ":";
        } catch (CertificateEncodingException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void oneOfTheAuthoritysIsTaken(ClientAuth auth) throws IOException {
        try (GatewayFixture gateway = gateway(auth)) {
            assertTaken(gateway, ofClients.issued("client"));
        }
    }

    @Test
    void whoShowsNoneIsRefusedWhereItIsRequired() {
        try (GatewayFixture gateway = gateway(ClientAuth.REQUIRE)) {
            assertRefused(gateway, null);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void whoShowsNoneIsTakenWhereItIsRequested(String version) throws IOException {
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST)) {
            ReceivedRequest seen = ask(gateway, client(null).only(version));
            assertThat(seen.headers().values("Client-Cert")).isEmpty();
            assertThat(seen.headers().values("Client-Cert-Chain")).isEmpty();
        }
    }

    @Test
    void nobodyIsAskedWhereThatIsNotSaid() throws IOException {
        try (GatewayFixture gateway = gateway(Clients.UNASKED)) {
            ReceivedRequest seen = ask(gateway, client(ofClients.issued("client")));
            assertThat(seen.headers().values("Client-Cert")).isEmpty();
            assertThat(seen.headers().values("Client-Cert-Chain")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void oneOfAnotherAuthoritysIsRefused(ClientAuth auth) {
        try (GatewayFixture gateway = gateway(auth)) {
            // The other authority has the same name: the client sends what it has.
            assertRefused(gateway, certificates.issued("client"));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void oneThatHasExpiredIsRefused(ClientAuth auth) {
        X509Bundle expired = Certificates.issued(
                Certificates.builder("client")
                        .notBefore(now.minus(10, ChronoUnit.DAYS))
                        .notAfter(now.minus(1, ChronoUnit.DAYS)),
                ofClients.authority());
        try (GatewayFixture gateway = gateway(auth)) {
            assertRefused(gateway, expired);
        }
    }

    /** BoringSSL makes the alert of it; the JDK's engine has one for all. */
    @Test
    void clientsAreToldWhatIsWrongWithTheirs() throws GeneralSecurityException {
        assumeThat(TlsEngines.provider()).isNotEqualTo(SslProvider.JDK);
        X509Bundle expired = Certificates.issued(
                Certificates.builder("client")
                        .notBefore(now.minus(10, ChronoUnit.DAYS))
                        .notAfter(now.minus(1, ChronoUnit.DAYS)),
                ofClients.authority());
        X509Bundle revoked = ofClients.issued("revoked");
        X509CRL list = Certificates.revocations(ofClients.authority(), tomorrow, revoked);
        ClientTrust trust =
                ClientTrust.of(new Found(List.of(ofClients.authority().getCertificate()), List.of(list)));
        assertThat(code(trust, certificates.issued("client")))
                .isEqualTo(CertificateVerifier.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
        assertThat(code(trust, expired)).isEqualTo(CertificateVerifier.X509_V_ERR_CERT_HAS_EXPIRED);
        assertThat(code(trust, revoked)).isEqualTo(CertificateVerifier.X509_V_ERR_CERT_REVOKED);
    }

    private static int code(ClientTrust trust, X509Bundle shown) {
        try {
            trust.checkClientTrusted(shown.getCertificatePathWithRoot(), "EC");
            return CertificateVerifier.X509_V_OK;
        } catch (OpenSslCertificateException e) {
            return e.errorCode();
        } catch (CertificateException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void oneThatIsNotYetGoodIsRefused() {
        X509Bundle early = Certificates.issued(
                Certificates.builder("client").notBefore(tomorrow).notAfter(tomorrow.plus(9, ChronoUnit.DAYS)),
                ofClients.authority());
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST)) {
            assertRefused(gateway, early);
        }
    }

    @Test
    void oneThatIsForServersOnlyIsRefused() throws IOException {
        X509Bundle server = Certificates.issued(
                Certificates.builder("client").addExtendedKeyUsageServerAuth(), ofClients.authority());
        X509Bundle both = Certificates.issued(
                Certificates.builder("client").addExtendedKeyUsageServerAuth().addExtendedKeyUsageClientAuth(),
                ofClients.authority());
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST)) {
            assertRefused(gateway, server);
            assertTaken(gateway, both);
        }
    }

    @Test
    void oneThatAnotherClientIssuedIsRefused() {
        X509Bundle client = ofClients.issued("client");
        X509Bundle forged = Certificates.issued(Certificates.builder("admin"), client);
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST)) {
            assertRefused(gateway, forged);
        }
    }

    /** RFC 9440 sections 2.2 and 2.3: what leads to the root, which isn't shown itself, is in the other field. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void theChainIsHandedOn(String version) throws IOException {
        X509Bundle upper = ofClients.intermediate();
        X509Bundle lower = Certificates.issued(
                new CertificateBuilder().subject("CN=lower").setIsCertificateAuthority(true), upper);
        X509Bundle one = Certificates.issued(Certificates.builder("client"), upper);
        X509Bundle two = Certificates.issued(Certificates.builder("client"), lower);
        try (GatewayFixture gateway = gateway(ClientAuth.REQUIRE)) {
            ReceivedRequest seen = ask(gateway, client(one).only(version));
            assertThat(seen.headers().values("Client-Cert")).containsExactly(field(one.getCertificate()));
            assertThat(seen.headers().values("Client-Cert-Chain")).containsExactly(field(upper.getCertificate()));
            seen = ask(gateway, client(two).only(version));
            assertThat(seen.headers().values("Client-Cert")).containsExactly(field(two.getCertificate()));
            assertThat(seen.headers().values("Client-Cert-Chain"))
                    .containsExactly(field(lower.getCertificate()) + ", " + field(upper.getCertificate()));
            seen = ask(gateway, client(ofClients.issued("client")).only(version));
            assertThat(seen.headers().values("Client-Cert-Chain")).isEmpty();
        }
    }

    /** Whoever adds one that has issued nothing could pass for anybody's. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void whatLeadsNowhereIsNotHandedOn(String version) throws Exception {
        X509Bundle upper = ofClients.intermediate();
        X509Bundle one = Certificates.issued(Certificates.builder("client"), upper);
        X509Bundle stranger = new Certificates(dir).authority();
        X509Bundle more = X509Bundle.fromCertificatePath(
                new X509Certificate[] {one.getCertificate(), upper.getCertificate(), stranger.getCertificate()},
                stranger.getCertificate(),
                one.getKeyPair());
        try (GatewayFixture gateway = gateway(ClientAuth.REQUIRE)) {
            ReceivedRequest seen = ask(gateway, client(more).only(version));
            assertThat(seen.headers().values("Client-Cert")).containsExactly(field(one.getCertificate()));
            assertThat(seen.headers().values("Client-Cert-Chain")).containsExactly(field(upper.getCertificate()));
        }
    }

    /** The JDK takes what is itself among the authorities as it is. */
    @Test
    void oneThatIsItselfAnAuthorityHasDatesAndListsToo() throws Exception {
        X509Bundle pinned = ofClients.issued("pinned");
        X509Bundle old = Certificates.issued(
                Certificates.builder("old")
                        .notBefore(now.minus(2, ChronoUnit.DAYS))
                        .notAfter(now.minus(1, ChronoUnit.DAYS)),
                ofClients.authority());
        List<X509Certificate> authorities =
                List.of(ofClients.authority().getCertificate(), pinned.getCertificate(), old.getCertificate());
        try (GatewayFixture gateway =
                gateway(new Clients(ClientAuth.REQUEST, null, new Found(authorities, List.of())))) {
            assertTaken(gateway, pinned);
            assertRefused(gateway, old);
        }
        X509CRL list = Certificates.revocations(ofClients.authority(), tomorrow, pinned);
        try (GatewayFixture gateway =
                gateway(new Clients(ClientAuth.REQUEST, null, new Found(authorities, List.of(list))))) {
            assertRefused(gateway, pinned);
        }
    }

    /** Files are looked at once a second. */
    @Test
    void aNewListIsTakenWhileItRuns() throws Exception {
        X509Bundle client = ofClients.issued("client");
        Path authorities =
                Files.writeString(dir.resolve("ca.pem"), ofClients.authority().getCertificatePEM());
        Path revocations = dir.resolve("crl.pem");
        X509CRL none = Certificates.revocations(ofClients.authority(), tomorrow);
        Files.writeString(revocations, Certificates.pem("X509 CRL", none.getEncoded()));
        ClientFiles files = new ClientFiles(authorities, revocations);
        Found found = new Found(ClientFiles.authorities(authorities), ClientFiles.revocations(revocations));
        try (GatewayFixture gateway = gateway(new Clients(ClientAuth.REQUIRE, files, found))) {
            assertTaken(gateway, client);
            X509CRL list = Certificates.revocations(ofClients.authority(), tomorrow, client);
            Files.writeString(revocations, Certificates.pem("X509 CRL", list.getEncoded()));
            Await.until("it is refused", () -> isRefused(gateway, client));
            assertRefused(gateway, client);
        }
    }

    private boolean isRefused(GatewayFixture gateway, X509Bundle own) {
        try {
            ask(gateway, client(own));
            return false;
        } catch (IOException | AssertionError e) {
            return true;
        }
    }

    @Test
    void whatIsOnAListIsRefused() throws IOException {
        X509Bundle good = ofClients.issued("good");
        X509Bundle revoked = ofClients.issued("revoked");
        X509CRL list = Certificates.revocations(ofClients.authority(), tomorrow, revoked);
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST, list)) {
            assertTaken(gateway, good);
            assertRefused(gateway, revoked);
        }
    }

    @Test
    void eachIssuerNeedsAList() throws IOException {
        X509Bundle intermediate = ofClients.intermediate();
        X509Bundle below = Certificates.issued(Certificates.builder("client"), intermediate);
        X509CRL ofRoot = Certificates.revocations(ofClients.authority(), tomorrow);
        X509CRL ofIntermediate = Certificates.revocations(intermediate, tomorrow);
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST, ofRoot)) {
            assertTaken(gateway, ofClients.issued("client"));
            assertRefused(gateway, below);
        }
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST, ofIntermediate)) {
            assertRefused(gateway, ofClients.issued("client"));
            assertRefused(gateway, below);
        }
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST, ofRoot, ofIntermediate)) {
            assertTaken(gateway, below);
        }
    }

    @Test
    void whatARevokedAuthorityIssuedIsRefused() {
        X509Bundle intermediate = ofClients.intermediate();
        X509Bundle below = Certificates.issued(Certificates.builder("client"), intermediate);
        X509CRL ofRoot = Certificates.revocations(ofClients.authority(), tomorrow, intermediate);
        X509CRL ofIntermediate = Certificates.revocations(intermediate, tomorrow);
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST, ofRoot, ofIntermediate)) {
            assertRefused(gateway, below);
        }
    }

    @Test
    void aListOfYesterdaysOrOfAnothersIsNone() {
        X509Bundle client = ofClients.issued("client");
        X509CRL old = Certificates.revocations(ofClients.authority(), now.minus(1, ChronoUnit.DAYS));
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST, old)) {
            assertRefused(gateway, client);
        }
        X509CRL forged = Certificates.revocations(certificates.authority(), tomorrow);
        assertThat(forged.getIssuerX500Principal())
                .isEqualTo(ofClients.authority().getCertificate().getSubjectX500Principal());
        try (GatewayFixture gateway = gateway(ClientAuth.REQUEST, forged)) {
            assertRefused(gateway, client);
        }
    }

    /** Else nobody would look any more whether a certificate was revoked. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void sessionsAreNotResumed(String version) throws IOException {
        for (ClientAuth auth : List.of(ClientAuth.REQUEST, ClientAuth.REQUIRE)) {
            try (GatewayFixture gateway = gateway(auth)) {
                SecureClient client = client(ofClients.issued("client")).only(version);
                for (int i = 1; i <= 3; i++) {
                    ask(gateway, client);
                    assertThat(client.verifiedCount()).as(auth + " " + i).isEqualTo(i);
                }
            }
        }
    }
}
