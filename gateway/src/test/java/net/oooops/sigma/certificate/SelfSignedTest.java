package net.oooops.sigma.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A certificate that nobody has issued. */
class SelfSignedTest {
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    @Test
    void isForThisMachineAndNobodyElse() throws Exception {
        KeyedCertificate made = SelfSigned.forLocalhost(now);
        X509Certificate certificate = made.certificate();
        certificate.verify(certificate.getPublicKey());
        certificate.checkValidity();
        assertThat(made.hosts()).containsExactly("localhost", "127.0.0.1", "0:0:0:0:0:0:0:1");
        assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=Sigma self-signed");
        assertThat(certificate.getBasicConstraints())
                .as("it can't issue others")
                .isEqualTo(-1);
        assertThat(certificate.getExtendedKeyUsage()).isEqualTo(List.of("1.3.6.1.5.5.7.3.1"));
        assertThat(((ECPublicKey) certificate.getPublicKey())
                        .getParams()
                        .getCurve()
                        .getField()
                        .getFieldSize())
                .isEqualTo(256);
        assertThat(made.notAfter()).isEqualTo(now.plus(Duration.ofDays(30)));
    }

    @Test
    void isAnotherOneEachTime() {
        X509Certificate first = SelfSigned.forLocalhost(now).certificate();
        X509Certificate second = SelfSigned.forLocalhost(now).certificate();
        assertThat(first.getPublicKey()).isNotEqualTo(second.getPublicKey());
        assertThat(first.getSerialNumber()).isNotEqualTo(second.getSerialNumber());
    }

    @Test
    void isToBeReplacedInGoodTime() {
        KeyedCertificate made = SelfSigned.forLocalhost(now);
        assertThat(SelfSigned.isDue(made, now.plus(Duration.ofDays(19)))).isFalse();
        assertThat(SelfSigned.isDue(made, now.plus(Duration.ofDays(21)))).isTrue();
    }
}
