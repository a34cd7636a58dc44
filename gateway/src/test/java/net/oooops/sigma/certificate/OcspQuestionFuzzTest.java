package net.oooops.sigma.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.time.Instant;

/** Whatever a responder answers, it is one that is signed, or a fault: nothing else is thrown. */
class OcspQuestionFuzzTest {
    private static final OcspQuestion QUESTION = question();

    private static OcspQuestion question() {
        try {
            X509Bundle authority = new CertificateBuilder()
                    .subject("CN=authority")
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
            return OcspQuestion.about(OcspSigner.keyed(
                    OcspSigner.naming("http://ocsp.example/", "a.example").buildIssuedBy(authority)));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @FuzzTest
    void anyAnswerIsAFault(byte[] bytes) {
        try {
            QUESTION.read(bytes, Instant.now());
            throw new AssertionError("nobody has signed it");
        } catch (OcspFault e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }
}
