package net.oooops.sigma.certificate;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import net.oooops.sigma.certificate.CertificateFiles.Form;
import net.oooops.sigma.tls.Certificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever stands in a file is a certificate with its key, or a fault that says so; nothing else comes of it. */
@Tag("long")
class BrokenFilesTest {
    private static final int BITS = 8;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private int faults;

    /** Reads it; what else than a fault is thrown fails the test. */
    private void read(CertificateFiles files, String what) throws IOException {
        try {
            KeyedCertificate found = files.read();
            assertThat(found.hosts()).as(what).isNotNull();
            assertThat(found.key().getEncoded()).as(what).isNotEmpty();
        } catch (CertificateFault e) {
            faults++;
            assertThat(e.found()).as(what).isNotBlank();
        } catch (RuntimeException e) {
            throw new AssertionError(what, e);
        }
    }

    private CertificateFiles pem(String certificate, byte[] key) throws IOException {
        return new CertificateFiles(
                Form.PEM,
                Files.writeString(dir.resolve("a.pem"), certificate),
                Files.write(dir.resolve("a.key"), key),
                Files.writeString(dir.resolve("a.txt"), "secret"));
    }

    private static byte[] flipped(byte[] bytes, int at, int bit) {
        byte[] other = bytes.clone();
        other[at] = (byte) (other[at] ^ 1 << bit);
        return other;
    }

    @ParameterizedTest
    @ValueSource(strings = {"ec.sec1-parameters.key", "ec.encrypted.key"})
    void aKeysTextWithABitFlippedOrCutAtAnyByte(String name) throws IOException {
        byte[] text = Fixed.text(name).getBytes(US_ASCII);
        for (int at = 0; at < text.length; at++) {
            read(pem(Fixed.text("ec.pem"), flipped(text, at, at % BITS)), name + " flipped at " + at);
            read(pem(Fixed.text("ec.pem"), Arrays.copyOf(text, at)), name + " cut at " + at);
        }
        assertThat(faults).isGreaterThan(text.length);
    }

    @ParameterizedTest
    @CsvSource({
        "ec.pem, ec.sec1.key, EC PRIVATE KEY, 1",
        "rsa.text.pem, rsa.pkcs1.key, RSA PRIVATE KEY, 8",
        "ec.pem, ec.encrypted.key, ENCRYPTED PRIVATE KEY, 4"
    })
    void aKeyWithABitFlippedOrCutAtAnyByte(String certificate, String name, String label, int step) throws IOException {
        tryAll(Fixed.text(certificate), Fixed.der(name), label, step);
    }

    @Test
    void aKeyOfPkcs8WithABitFlippedOrCutAtAnyByte() throws Exception {
        CertificateFiles whole =
                pem(Fixed.text("ec.pem"), Fixed.text("ec.sec1.key").getBytes(US_ASCII));
        tryAll(Fixed.text("ec.pem"), whole.read().key().getEncoded(), "PRIVATE KEY", 1);
    }

    private void tryAll(String certificate, byte[] der, String label, int step) throws IOException {
        for (int at = 0; at < der.length; at++) {
            for (int bit = at % step; bit < BITS; bit += step) {
                byte[] text = Certificates.pem(label, flipped(der, at, bit)).getBytes(US_ASCII);
                read(pem(certificate, text), label + " flipped at " + at + " in bit " + bit);
            }
            read(
                    pem(
                            certificate,
                            Certificates.pem(label, Arrays.copyOf(der, at)).getBytes(US_ASCII)),
                    label + " cut at " + at);
        }
        assertThat(faults).as("each that is cut is one").isGreaterThan(der.length);
    }

    @Test
    void aCertificateWithABitFlippedOrCutAtAnyByte() throws Exception {
        byte[] key = Fixed.text("ec.sec1.key").getBytes(US_ASCII);
        byte[] der = pem(Fixed.text("ec.pem"), key).read().certificate().getEncoded();
        for (int at = 0; at < der.length; at++) {
            for (int bit = at % 2; bit < BITS; bit += 2) {
                String text = Certificates.pem("CERTIFICATE", flipped(der, at, bit));
                read(pem(text, key), "flipped at " + at + " in bit " + bit);
            }
            read(pem(Certificates.pem("CERTIFICATE", Arrays.copyOf(der, at)), key), "cut at " + at);
        }
        assertThat(faults).isGreaterThan(der.length);
    }

    @Test
    void aKeyStoreWithABitFlippedOrCutAtAnyByte() throws IOException {
        byte[] store = Fixed.der("ec.p12.base64");
        Path password = Files.writeString(dir.resolve("a.txt"), "secret");
        for (int at = 0; at < store.length; at++) {
            for (byte[] broken : new byte[][] {flipped(store, at, at % BITS), Arrays.copyOf(store, at)}) {
                Path file = Files.write(dir.resolve("a.p12"), broken);
                read(new CertificateFiles(Form.PKCS12, file, null, password), "broken at " + at);
            }
        }
        assertThat(faults).isGreaterThan(store.length);
    }
}
