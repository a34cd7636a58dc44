package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.net.URI;
import java.nio.file.Files;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.SelfSigned;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.config.TlsConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which certificate is for whom, while they are replaced. */
class ServerTlsTest extends CertifiedFixture {
    private static KeyedCertificate keyed(X509Bundle bundle) {
        return new KeyedCertificate(
                List.of(bundle.getCertificate()), bundle.getKeyPair().getPrivate());
    }

    private static @Nullable X509Certificate shownTo(ServerTls tls, @Nullable String host) {
        ShownCertificate shown = tls.of(host);
        return shown == null ? null : shown.certificate().certificate();
    }

    @Test
    void aNewCertificateIsForItsOwnHosts() {
        X509Bundle first = certificates.issued("a.example");
        X509Bundle second = certificates.issued("b.example");
        X509Bundle next = certificates.issued("c.example");
        ServerTls tls = new ServerTls(Certificates.config(certificates.shown(first), certificates.shown(second)));
        assertThat(shownTo(tls, "b.example")).isEqualTo(second.getCertificate());
        tls.replace(1, keyed(next));
        assertThat(shownTo(tls, "c.example")).isEqualTo(next.getCertificate());
        assertThat(shownTo(tls, "b.example")).isEqualTo(first.getCertificate());
        assertThat(shownTo(tls, null)).isEqualTo(first.getCertificate());
        tls.close();
    }

    @Test
    void hostsThatAreWrittenOutStay() {
        X509Bundle first = certificates.issued("a.example");
        X509Bundle second = certificates.issued("b.example");
        X509Bundle next = certificates.issued("c.example");
        ServerTls tls =
                new ServerTls(Certificates.config(certificates.shown(first), certificates.shown(second, "x.example")));
        tls.replace(1, keyed(next));
        assertThat(shownTo(tls, "x.example")).isEqualTo(next.getCertificate());
        assertThat(shownTo(tls, "c.example")).isEqualTo(first.getCertificate());
        tls.close();
    }

    @Test
    void whatIsWrittenOutGoesBeforeWhatACertificateSays() {
        X509Bundle first = certificates.issued("a.example", "b.example");
        X509Bundle second = certificates.issued("b.example");
        ServerTls tls =
                new ServerTls(Certificates.config(certificates.shown(first), certificates.shown(second, "b.example")));
        assertThat(shownTo(tls, "b.example")).isEqualTo(second.getCertificate());
        assertThat(shownTo(tls, "a.example")).isEqualTo(first.getCertificate());
        tls.replace(1, keyed(certificates.issued("c.example")));
        assertThat(shownTo(tls, "c.example")).as("it stays for what is written").isEqualTo(first.getCertificate());
        tls.close();
    }

    private static ServerTls selfSigned(Instant made) {
        return new ServerTls(Certificates.config(
                new TlsConfig.Shown(CertificateFiles.SELF_SIGNED, SelfSigned.forLocalhost(made), List.of())));
    }

    @Test
    void aSelfSignedCertificateIsMadeAnewInGoodTimeOnly() {
        Instant now = Instant.now();
        ServerTls young = selfSigned(now);
        ServerTls old = selfSigned(now.minus(Duration.ofDays(25)));
        X509Certificate first = shownTo(young, "localhost");
        X509Certificate before = shownTo(old, "localhost");
        assertThat(young.renewables().getFirst().isDue(now)).isFalse();
        assertThat(young.renewables().getFirst().renew()).isFalse();
        assertThat(shownTo(young, "localhost")).isEqualTo(first);
        assertThat(old.renewables().getFirst().isDue(now)).isTrue();
        assertThat(old.renewables().getFirst().renew()).isTrue();
        assertThat(shownTo(old, "localhost")).isNotEqualTo(before);
        assertThat(old.renewables().getFirst().isDue(now)).isFalse();
        young.close();
        old.close();
    }

    /** What is asked for has its place from the start on, and takes nobody else's. */
    @Test
    void aCertificateThatIsAskedForIsAwaited() throws Exception {
        X509Bundle file = certificates.issued("file.example");
        X509Bundle asked = certificates.issued("a.example");
        AcmeConfig acme = new AcmeConfig(
                List.of("a.example", "b.example"),
                null,
                null,
                URI.create("https://localhost/dir"),
                dir,
                List.of(),
                List.of(AcmeConfig.Challenge.TLS_ALPN_01),
                Map.of());
        TlsConfig plain = Certificates.config(certificates.shown(file));
        ServerTls beside = new ServerTls(asking(plain, plain.certificates(), acme));
        ServerTls alone = new ServerTls(asking(plain, List.of(), acme));
        assertThat(shownTo(beside, "a.example")).isNull();
        assertThat(beside.isAwaited("a.example")).isTrue();
        assertThat(shownTo(beside, "other.example")).isEqualTo(file.getCertificate());
        assertThat(shownTo(alone, null)).isNull();
        assertThat(alone.isAwaited(null)).isTrue();
        assertThat(beside.renewables().get(1).renew()).as("it isn't there").isFalse();
        assertThat(beside.renewables().get(1).notAfter()).isEqualTo(Instant.MAX);
        Files.writeString(dir.resolve("a.example.pem"), asked.getPrivateKeyPEM() + asked.getCertificatePathPEM());
        for (ServerTls tls : List.of(beside, alone)) {
            tls.renewables().get(tls == beside ? 1 : 0).renew();
            assertThat(shownTo(tls, "a.example")).isEqualTo(asked.getCertificate());
            assertThat(shownTo(tls, "b.example")).isNull();
        }
        assertThat(shownTo(beside, null)).isEqualTo(file.getCertificate());
        assertThat(shownTo(alone, null)).isEqualTo(asked.getCertificate());
        Instant warned = beside.renewables().get(1).expiresSoon();
        assertThat(warned)
                .isBetween(Instant.now(), asked.getCertificate().getNotAfter().toInstant());
        beside.close();
        alone.close();
    }

    private static TlsConfig asking(TlsConfig plain, List<TlsConfig.Shown> files, AcmeConfig acme) {
        return new TlsConfig(
                files,
                plain.minVersion(),
                plain.ciphers(),
                plain.alpn(),
                false,
                plain.clients(),
                false,
                acme,
                plain.pointer());
    }

    /** Whoever watches the files may still be at it when the gateway ends. */
    @Test
    void afterItsEndNothingIsReplacedOrReleasedOnceMore() {
        X509Bundle first = certificates.issued("a.example");
        ServerTls tls = new ServerTls(Certificates.config(certificates.shown(first)));
        tls.replace(0, keyed(certificates.issued("a.example")));
        X509Certificate last = shownTo(tls, null);
        tls.close();
        tls.replace(0, keyed(certificates.issued("a.example")));
        tls.replace(0, keyed(certificates.issued("a.example")));
        tls.close();
        assertThat(shownTo(tls, null)).isEqualTo(last);
    }
}
