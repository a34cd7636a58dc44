package net.oooops.sigma.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;

/** Whatever is in a file, it holds what it is to, or the fault is told: nothing else is thrown. */
class PemFileFuzzTest {
    private static final char[] PASSWORD = "secret".toCharArray();

    @FuzzTest
    void anyFileIsReadOrAFault(byte[] bytes) {
        byte[] armed = ("-----BEGIN CERTIFICATE-----\n" + new String(bytes, StandardCharsets.ISO_8859_1))
                .getBytes(StandardCharsets.ISO_8859_1);
        for (byte[] file : new byte[][] {bytes, armed}) {
            read(() -> PemFile.certificates(file)
                    .forEach(found -> assertThat(found).isNotNull()));
            read(() ->
                    PemFile.revocations(file).forEach(found -> assertThat(found).isNotNull()));
            read(() -> assertThat(PemFile.key(file, PASSWORD)).isNotNull());
        }
    }

    /** Reads something. */
    private interface Reading {
        void run() throws CertificateFault;
    }

    private static void read(Reading reading) {
        try {
            reading.run();
        } catch (CertificateFault e) {
            assertThat(e.found()).isNotEmpty();
            assertThat(e.expected()).isNotEmpty();
        }
    }
}
