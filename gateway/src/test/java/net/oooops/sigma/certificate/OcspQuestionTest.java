package net.oooops.sigma.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.tls.Certificates;
import org.bouncycastle.cert.ocsp.OCSPReq;
import org.bouncycastle.cert.ocsp.OCSPRespBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked about a certificate, and which answers are believed. */
class OcspQuestionTest {
    private static final Duration WEEK = Duration.ofDays(7);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    @SuppressWarnings("NullAway.Init")
    private X509Bundle issued;

    @SuppressWarnings("NullAway.Init")
    private OcspQuestion question;

    @BeforeEach
    void issue() throws Exception {
        certificates = new Certificates(dir);
        issued = another("http://ocsp.example:8080/a");
        question = OcspQuestion.about(OcspSigner.keyed(issued));
    }

    private X509Bundle another(String responder) {
        return Certificates.issued(OcspSigner.naming(responder, "a.example"), certificates.authority());
    }

    private OcspSigner signer() {
        return new OcspSigner(certificates.authority()).held(now, now.plus(WEEK));
    }

    private X509Bundle delegate(CertificateBuilder builder, X509Bundle issuer) {
        return Certificates.issued(builder.subject("CN=responder"), issuer);
    }

    private void assertFault(byte[] answer, String why) {
        assertThatThrownBy(() -> question.read(answer, now))
                .isInstanceOf(OcspFault.class)
                .hasMessageContaining(why);
    }

    @Test
    void theResponderOfTheCertificateIsAskedAboutItsSerialNumber() throws Exception {
        assertThat(question.responder()).isEqualTo(URI.create("http://ocsp.example:8080/a"));
        OCSPReq asked = new OCSPReq(question.request());
        assertThat(asked.getRequestList()).hasSize(1);
        assertThat(asked.getRequestList()[0].getCertID().getSerialNumber())
                .isEqualTo(issued.getCertificate().getSerialNumber());
    }

    @Test
    void nobodyIsAskedWithoutAResponderOrAnIssuer() {
        assertThatThrownBy(() -> OcspQuestion.about(OcspSigner.keyed(certificates.issued("a.example"))))
                .isInstanceOf(CertificateFault.class)
                .hasMessage("which names no OCSP responder");
        for (String other : List.of("ldap://ocsp.example/", "http:/a", "not a URL")) {
            assertThatThrownBy(() -> OcspQuestion.about(OcspSigner.keyed(another(other))))
                    .isInstanceOf(CertificateFault.class)
                    .hasMessage("which names no OCSP responder");
        }
        assertThatThrownBy(() -> OcspQuestion.about(new KeyedCertificate(
                        List.of(
                                issued.getCertificate(),
                                new Certificates(dir).authority().getCertificate()),
                        issued.getKeyPair().getPrivate())))
                .isInstanceOf(CertificateFault.class)
                .hasMessageContaining("the certificate of its issuer");
    }

    @Test
    void whatTheIssuerSaysIsBelieved() throws Exception {
        byte[] answer = signer().of(issued);
        OcspAnswer read = question.read(answer, now);
        assertThat(read.encoded()).isEqualTo(answer);
        assertThat(read.until()).isEqualTo(now.plus(WEEK));
        assertThat(read.half()).isEqualTo(now.plus(WEEK.dividedBy(2)));
        assertThat(read.isOpen()).isFalse();
        assertThat(read.revokedAt()).isNull();
        assertThat(read.isShowable(now.toEpochMilli())).isTrue();
        assertThat(read.isShowable(now.plus(WEEK).toEpochMilli())).isFalse();
    }

    @Test
    void whatOneSaysWhomTheIssuerNamesIsBelieved() throws Exception {
        X509Bundle delegate =
                delegate(new CertificateBuilder().addExtendedKeyUsageOcspSigning(), certificates.authority());
        assertThat(question.read(signer().by(delegate, true).of(issued), now).revokedAt())
                .isNull();
        assertFault(signer().by(delegate, false).of(issued), "signed by nobody");
    }

    @Test
    void whatOthersSayIsNot() {
        X509Bundle stranger = new Certificates(dir).authority();
        X509Bundle noDelegate =
                delegate(new CertificateBuilder().addExtendedKeyUsageServerAuth(), certificates.authority());
        X509Bundle over = delegate(
                new CertificateBuilder()
                        .addExtendedKeyUsageOcspSigning()
                        .notBefore(now.minus(Duration.ofDays(3)))
                        .notAfter(now.minus(Duration.ofDays(1))),
                certificates.authority());
        X509Bundle ofStranger = delegate(new CertificateBuilder().addExtendedKeyUsageOcspSigning(), stranger);
        for (X509Bundle each : List.of(stranger, noDelegate, over, ofStranger, issued)) {
            assertFault(signer().by(each, true).of(issued), "signed by nobody");
        }
        byte[] changed = signer().of(issued);
        changed[changed.length - 1] ^= 1;
        assertFault(changed, "");
    }

    @Test
    void whatIsAboutAnotherCertificateIsNot() {
        assertFault(signer().of(another("http://ocsp.example/")), "about another certificate");
        X509Bundle stranger = new Certificates(dir).authority();
        assertFault(new OcspSigner(stranger).of(issued), "about another certificate");
    }

    @Test
    void whatHoldsAtAnotherTimeIsNot() throws Exception {
        assertFault(signer().held(now.minus(WEEK), now.minusSeconds(1)).of(issued), "its answer held until");
        assertFault(
                signer().held(now.plus(WEEK), now.plus(WEEK.multipliedBy(2))).of(issued), "holds from");
        // Its clock is ahead a little.
        question.read(signer().held(now.plusSeconds(60), now.plus(WEEK)).of(issued), now);
        OcspAnswer open = question.read(signer().held(now, null).of(issued), now);
        assertThat(open.until()).isEqualTo(now.plus(Duration.ofDays(1)));
        assertThat(open.isOpen()).isTrue();
        Instant yesterday = now.minus(Duration.ofDays(1));
        OcspAnswer old =
                question.read(signer().held(yesterday.plusSeconds(1), null).of(issued), now);
        assertThat(old.until()).isEqualTo(now.plusSeconds(1));
        assertFault(
                signer().held(yesterday, null).of(issued),
                "its answer is from " + yesterday + ", and doesn't say how long it holds: a day is taken");
    }

    @Test
    void revokedOnesAreKnownAndNeverShown() throws Exception {
        OcspAnswer read = question.read(signer().revoked(now.minusSeconds(60)).of(issued), now);
        assertThat(read.revokedAt()).isEqualTo(now.minusSeconds(60));
        assertThat(read.isShowable(now.toEpochMilli())).isFalse();
    }

    @Test
    void whatSaysNothingIsAFault() {
        assertFault(signer().unknown().of(issued), "doesn't know");
        assertFault(OcspSigner.refusal(OCSPRespBuilder.TRY_LATER), "it answers with tryLater");
        assertFault(OcspSigner.refusal(OCSPRespBuilder.UNAUTHORIZED), "it answers with unauthorized");
        assertFault(new byte[0], "can't be read");
        assertFault("<html>".getBytes(java.nio.charset.StandardCharsets.US_ASCII), "can't be read");
        byte[] whole = signer().of(issued);
        for (int length = 0; length < whole.length; length++) {
            assertFault(Arrays.copyOf(whole, length), "");
        }
    }

    @Test
    void mustStapleIsSeen() {
        X509Bundle must = Certificates.issued(
                Certificates.builder("a.example")
                        .addExtensionOctetString("1.3.6.1.5.5.7.1.24", false, new byte[] {0x30, 3, 2, 1, 5}),
                certificates.authority());
        assertThat(OcspSigner.keyed(must).isMustStaple()).isTrue();
        assertThat(OcspSigner.keyed(issued).isMustStaple()).isFalse();
    }
}
