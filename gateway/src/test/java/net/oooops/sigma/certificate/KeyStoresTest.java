package net.oooops.sigma.certificate;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import net.oooops.sigma.certificate.CertificateFiles.Form;
import net.oooops.sigma.tls.Certificates;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Key stores, as the JDK and OpenSSL write them. */
class KeyStoresTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    @SuppressWarnings("NullAway.Init")
    private X509Bundle issued;

    @SuppressWarnings("NullAway.Init")
    private X509Bundle intermediate;

    @BeforeEach
    void issue() {
        intermediate = new Certificates(dir).intermediate();
        issued = Certificates.issued(Certificates.builder("a.example"), intermediate);
    }

    private CertificateFiles files(Form form, byte[] store, @Nullable String password) throws IOException {
        return new CertificateFiles(
                form,
                Files.write(dir.resolve("a.store"), store),
                null,
                password == null ? null : Files.writeString(dir.resolve("a.txt"), password + "\n"));
    }

    private CertificateFiles files(Form form, KeyStore store, String its, @Nullable String password) throws Exception {
        Path file = dir.resolve("made.store");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, its.toCharArray());
        }
        return files(form, Files.readAllBytes(file), password);
    }

    private KeyStore store(Form form, String password) throws Exception {
        KeyStore store = KeyStore.getInstance(form.name());
        store.load(null, null);
        store.setCertificateEntry("authority", intermediate.getCertificate());
        store.setKeyEntry("a", issued.getKeyPair().getPrivate(), password.toCharArray(), new Certificate[] {
            issued.getCertificate(), intermediate.getCertificate()
        });
        return store;
    }

    private static String problem(CertificateFiles files) {
        try {
            files.read();
            return "none";
        } catch (CertificateFault e) {
            return e.part() + " " + e.found() + " (expected: " + e.expected() + ")";
        }
    }

    @ParameterizedTest
    @CsvSource({"PKCS12, secret", "JKS, secret", "PKCS12, Schl\u00fcssel", "JKS, Schl\u00fcssel"})
    void theKeyIsReadWithItsChain(Form form, String password) throws Exception {
        KeyedCertificate found =
                files(form, store(form, password), password, password).read();
        assertThat(found.chain()).containsExactly(issued.getCertificate(), intermediate.getCertificate());
        assertThat(found.key().getEncoded())
                .isEqualTo(issued.getKeyPair().getPrivate().getEncoded());
    }

    @Test
    void oneOfOpenSslsIsRead() throws Exception {
        CertificateFiles files = files(Form.PKCS12, Fixed.der("ec.p12.base64"), "secret");
        assertThat(files.read().hosts()).containsExactly("ec.example");
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"PEM", "SELF_SIGNED"})
    void anotherPasswordIsAProblem(Form form) throws Exception {
        KeyStore store = store(form, "secret");
        String wrong = "PASSWORD which is not its password (expected: the password of the key store)";
        assertThat(problem(files(form, store, "secret", "Secret"))).isEqualTo(wrong);
        assertThat(problem(files(form, store, "secret", "Schl\u00fcssel"))).isEqualTo(wrong);
        assertThat(problem(files(form, store, "other", "other")))
                .as("that of the store, but not of the key")
                .isEqualTo(wrong);
        assertThat(problem(files(form, store, "secret", null)))
                .isEqualTo("CERTIFICATE which has a password (expected: \"password-file\" beside it)");
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"PEM", "SELF_SIGNED"})
    void oneWithTwoKeysIsAProblem(Form form) throws Exception {
        KeyStore store = store(form, "secret");
        store.setKeyEntry("b", issued.getKeyPair().getPrivate(), "secret".toCharArray(), new Certificate[] {
            issued.getCertificate()
        });
        assertThat(problem(files(form, store, "secret", "secret")))
                .isEqualTo("CERTIFICATE which holds 2 private keys (expected: a key store with one)");
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"PEM", "SELF_SIGNED"})
    void oneWithoutAKeyIsAProblem(Form form) throws Exception {
        KeyStore store = store(form, "secret");
        store.deleteEntry("a");
        assertThat(problem(files(form, store, "secret", "secret")))
                .isEqualTo("CERTIFICATE which holds no private key (expected: a key store with one)");
    }

    @Test
    void aKeyWithoutItsCertificateIsAProblem() throws Exception {
        assertThat(problem(files(Form.PKCS12, Fixed.der("ec.key-only.p12.base64"), "secret")))
                .isEqualTo("CERTIFICATE whose private key has no certificate (expected: a key store with both)");
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"PEM", "SELF_SIGNED"})
    void theKeyOfAnotherCertificateIsAProblem(Form form) throws Exception {
        KeyStore store = store(form, "secret");
        store.setKeyEntry("a", issued.getKeyPair().getPrivate(), "secret".toCharArray(), new Certificate[] {
            intermediate.getCertificate()
        });
        assertThat(problem(files(form, store, "secret", "secret")))
                .isEqualTo("CERTIFICATE whose key is another certificate's (expected: the key of the certificate)");
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"PEM", "SELF_SIGNED"})
    void whatIsNoKeyStoreIsAProblem(Form form) throws Exception {
        String none = "CERTIFICATE which can't be read as one (expected: a key store of type " + form + ")";
        assertThat(problem(files(form, new byte[0], "secret"))).isEqualTo(none);
        assertThat(problem(files(form, issued.getCertificatePEM().getBytes(US_ASCII), "secret")))
                .isEqualTo(none);
    }
}
