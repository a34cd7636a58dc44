package net.oooops.sigma.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.certificate.CertificateFiles.Form;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.CertifiedFixture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of PEM, as tools write them and as they are broken. */
class CertificateFilesTest extends CertifiedFixture {
    @SuppressWarnings("NullAway.Init")
    private X509Bundle issued;

    @BeforeEach
    void prepare() {
        issued = certificates.issued("a.example");
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text);
    }

    /** Those files; what is null isn't named. */
    private CertificateFiles files(String certificate, @Nullable String key, @Nullable String password)
            throws IOException {
        return new CertificateFiles(
                Form.PEM,
                file("a.pem", certificate),
                key == null ? null : file("a.key", key),
                password == null ? null : file("a.txt", password));
    }

    private static String problem(CertificateFiles files) {
        try {
            files.read();
            return "none";
        } catch (CertificateFault e) {
            return e.part() + " " + e.found() + " (expected: " + e.expected() + ")";
        }
    }

    private String problemOf(String certificate, @Nullable String key) throws IOException {
        return problem(files(certificate, key, null));
    }

    @ParameterizedTest
    @EnumSource(names = {"ecp256", "ecp384", "rsa2048", "ed25519"})
    void aCertificateAndItsKeyAreRead(Algorithm algorithm) throws Exception {
        X509Bundle of =
                Certificates.issued(Certificates.builder("a.example").algorithm(algorithm), certificates.authority());
        KeyedCertificate found =
                files(of.getCertificatePEM(), of.getPrivateKeyPEM(), null).read();

        assertThat(found.chain()).containsExactly(of.getCertificate());
        assertThat(found.key().getEncoded())
                .isEqualTo(of.getKeyPair().getPrivate().getEncoded());
        assertThat(found.hosts()).containsExactly("a.example");
        assertThat(found.notAfter()).isEqualTo(of.getCertificate().getNotAfter().toInstant());
    }

    @Test
    void bothMayStandInOneFile() throws Exception {
        String certificate = issued.getCertificatePEM();
        String key = issued.getPrivateKeyPEM();
        for (String text : List.of(certificate + "\n" + key, key + "\n" + certificate)) {
            KeyedCertificate found = files(text, null, null).read();
            assertThat(found.certificate()).isEqualTo(issued.getCertificate());
            assertThat(found.key().getEncoded())
                    .isEqualTo(issued.getKeyPair().getPrivate().getEncoded());
        }
        assertThat(problemOf(certificate, null)).isEqualTo(noKey());
    }

    private static String noKey() {
        return "KEY which holds no private key (expected: a private key in PEM: PRIVATE KEY, ENCRYPTED PRIVATE KEY,"
                + " RSA PRIVATE KEY or EC PRIVATE KEY)";
    }

    @Test
    void theChainIsKeptAsItIsWritten() throws Exception {
        X509Bundle intermediate = certificates.intermediate();
        X509Bundle leaf = Certificates.issued(Certificates.builder("a.example"), intermediate);
        String first = leaf.getCertificatePEM() + "\n";
        String second = intermediate.getCertificatePEM() + "\n";

        KeyedCertificate found =
                files(first + second, leaf.getPrivateKeyPEM(), null).read();
        assertThat(found.chain()).containsExactly(leaf.getCertificate(), intermediate.getCertificate());
        assertThat(found.certificate()).isEqualTo(leaf.getCertificate());
        assertThat(problemOf(second + first, leaf.getPrivateKeyPEM())).isEqualTo(anothersKey());
    }

    private static String anothersKey() {
        return "KEY whose key is another certificate's (expected: the key of the certificate)";
    }

    @ParameterizedTest
    @CsvSource({
        "rsa.text.pem, rsa.pkcs1.key, rsa.example",
        "ec.pem, ec.sec1.key, ec.example",
        "ec.pem, ec.sec1-parameters.key, ec.example"
    })
    void olderFormsOfKeysAreRead(String certificate, String key, String host) throws Exception {
        KeyedCertificate found =
                files(Fixed.text(certificate), Fixed.text(key), null).read();
        assertThat(found.hosts()).containsExactly(host);
        assertThat(found.key().getFormat()).isEqualTo("PKCS#8");
    }

    @ParameterizedTest
    @CsvSource({"ec.encrypted.key, secret", "ec.encrypted-sha1.key, secret", "ec.encrypted-umlaut.key, Schl\u00fcssel"})
    void encryptedKeysAreReadWithTheirPassword(String key, String password) throws Exception {
        KeyedCertificate plain =
                files(Fixed.text("ec.pem"), Fixed.text("ec.sec1.key"), null).read();
        for (String ending : List.of("", "\n", "\r\n", "\nmore\n")) {
            KeyedCertificate found = files(Fixed.text("ec.pem"), Fixed.text(key), password + ending)
                    .read();
            assertThat(Fixed.scalar(found)).as(ending).isEqualTo(Fixed.scalar(plain));
        }
    }

    @Test
    void encryptedKeysWithAnotherPasswordAreAProblem() throws IOException {
        String certificate = Fixed.text("ec.pem");
        String key = Fixed.text("ec.encrypted.key");
        String wrong = "PASSWORD which is not its password (expected: the password of the key)";
        for (String password : List.of("Secret", "secret ", "schl\u00fcssel", "s", "\u20ac")) {
            assertThat(problem(files(certificate, key, password))).as(password).isEqualTo(wrong);
        }
        assertThat(problem(files(certificate, key, null)))
                .isEqualTo("KEY which is encrypted (expected: \"password-file\" beside it)");
        for (String nothing : List.of("", "\n", "\nsecret\n")) {
            assertThat(problem(files(certificate, key, nothing)))
                    .isEqualTo("PASSWORD whose first line is empty (expected: a password)");
        }
        assertThat(problem(new CertificateFiles(
                        Form.PEM, dir.resolve("a.pem"), dir.resolve("a.key"), dir.resolve("gone.txt"))))
                .isEqualTo("PASSWORD which is not there (expected: a file)");
    }

    @Test
    void otherWaysOfEncryptingAreNamed() throws IOException {
        assertThat(problem(files(Fixed.text("ec.pem"), Fixed.text("ec.encrypted-scrypt.key"), "secret")))
                .isEqualTo("KEY which is encrypted in a way that isn't known (expected: a key of PKCS #8 with PBES2)");
        assertThat(problem(files(Fixed.text("rsa.text.pem"), Fixed.text("rsa.old-encrypted.key"), "secret")))
                .isEqualTo("KEY which is encrypted in OpenSSL's old way (expected: ENCRYPTED PRIVATE KEY,"
                        + " as \"openssl pkcs8 -topk8\" makes it)");
    }

    @Test
    void endsOfLinesAndWordsAroundThemDoNotMatter() throws Exception {
        X509Certificate certificate = issued.getCertificate();
        String key = issued.getPrivateKeyPEM().replace("\r", "");
        String pem = issued.getCertificatePEM().replace("\r", "").strip();
        for (String text : List.of(
                pem,
                pem.replace("\n", "\r\n") + "\r\n",
                certificate + "\n" + pem + "\nthe end: of it",
                "  " + pem.replace("\n", "  \n\n "),
                pem.replace("CERTIFICATE", "X509 CERTIFICATE"))) {
            assertThat(files(text, key.replace("\n", "\r\n"), null).read().chain())
                    .as(text)
                    .containsExactly(certificate);
        }
    }

    @Test
    void whatIsNoPemIsAProblem() throws IOException {
        String key = issued.getPrivateKeyPEM();
        String none = "CERTIFICATE which holds no certificate (expected: a file in PEM: -----BEGIN CERTIFICATE-----)";
        assertThat(problemOf("", key)).isEqualTo(none);
        assertThat(problemOf("nothing of that kind\n", key)).isEqualTo(none);
        assertThat(problemOf(key, key)).isEqualTo(none);
        assertThat(problemOf(issued.getCertificatePEM(), "")).isEqualTo(noKey());
        assertThat(problemOf(issued.getCertificatePEM(), issued.getCertificatePEM()))
                .isEqualTo(noKey());
    }

    @Test
    void blocksThatAreNotWholeAreAProblem() throws IOException {
        String text = issued.getCertificatePEM().strip();
        String key = issued.getPrivateKeyPEM().replace("\r", "");
        String noEnd = "CERTIFICATE in which -----BEGIN CERTIFICATE----- has no end (expected: whole blocks of PEM)";
        assertThat(problemOf(text.substring(0, text.indexOf("-----END")), key)).isEqualTo(noEnd);
        assertThat(problemOf(text.replace("MII", "M*I"), key))
                .isEqualTo("CERTIFICATE whose CERTIFICATE isn't Base64 (expected: whole blocks of PEM)");
        assertThat(problemOf(issued.getCertificatePEM(), key.replace("KEY-----\nM", "KEY-----\nM_")))
                .isEqualTo("KEY whose PRIVATE KEY isn't Base64 (expected: whole blocks of PEM)");
        assertThat(problemOf(issued.getCertificatePEM(), key.substring(0, key.indexOf("-----END"))))
                .isEqualTo("KEY in which -----BEGIN PRIVATE KEY----- has no end (expected: whole blocks of PEM)");
    }

    /** As {@code cat} leaves them: else the second one would be left out, and nobody would know. */
    @Test
    void blocksThatRunIntoEachOtherAreAProblem() throws IOException {
        String whole = issued.getCertificatePEM().strip();
        String cut = whole.substring(0, whole.indexOf("-----END"));
        String key = issued.getPrivateKeyPEM();
        String noEnd = "CERTIFICATE in which -----BEGIN CERTIFICATE----- has no end (expected: whole blocks of PEM)";
        assertThat(problemOf(whole + whole, key)).isEqualTo(noEnd);
        assertThat(problemOf(cut + whole, key)).isEqualTo(noEnd);
        assertThat(problemOf(cut + "-----END PRIVATE KEY-----\n", key)).isEqualTo(noEnd);
    }

    @Test
    void whatIsNoCertificateOrKeyInsideIsAProblem() throws Exception {
        byte[] certificate = issued.getCertificate().getEncoded();
        byte[] key = issued.getKeyPair().getPrivate().getEncoded();
        String second = Certificates.pem("CERTIFICATE", Arrays.copyOf(certificate, 20));
        assertThat(problemOf(issued.getCertificatePEM() + "\n" + second, issued.getPrivateKeyPEM()))
                .isEqualTo("CERTIFICATE whose certificate 2 can't be read (expected: certificates in PEM)");
        assertThat(problemOf(
                        issued.getCertificatePEM(),
                        Certificates.pem("PRIVATE KEY", Arrays.copyOf(key, key.length - 1))))
                .isEqualTo("KEY whose key can't be read (expected: a key of RSA, EC or Ed25519)");
        assertThat(problemOf(issued.getCertificatePEM(), Certificates.pem("EC PRIVATE KEY", new byte[0])))
                .isEqualTo("KEY whose key is cut short (expected: a private key in PEM)");
        assertThat(problemOf(
                        issued.getCertificatePEM(), Certificates.pem("EC PRIVATE KEY", new byte[] {0x30, 3, 2, 1, 1})))
                .isEqualTo("KEY whose EC key names no curve (expected: a private key of PKCS #8)");
    }

    @ParameterizedTest
    @EnumSource(names = {"ecp256", "ecp384", "rsa2048", "ed25519"})
    void theKeyOfAnotherCertificateIsAProblem(Algorithm algorithm) throws IOException {
        X509Bundle other =
                Certificates.issued(Certificates.builder("a.example").algorithm(algorithm), certificates.authority());
        assertThat(problemOf(issued.getCertificatePEM(), other.getPrivateKeyPEM()))
                .isEqualTo(anothersKey());
        assertThat(problemOf(other.getCertificatePEM(), issued.getPrivateKeyPEM()))
                .isEqualTo(anothersKey());
        assertThat(problemOf(other.getCertificatePEM() + "\n" + issued.getPrivateKeyPEM(), null))
                .isEqualTo("CERTIFICATE whose key is another certificate's (expected: the key of the certificate)");
    }

    @ParameterizedTest
    @CsvSource({"127, 607", "4253, 4423"})
    void keysOfRsaThatNobodyTakesAreAProblem(int exponentP, int exponentQ) throws Exception {
        X509Bundle odd = Certificates.issued(
                Certificates.builder("a.example").keyPair(Fixed.rsa(exponentP, exponentQ)), certificates.authority());
        assertThat(problemOf(odd.getCertificatePEM(), odd.getPrivateKeyPEM()))
                .isEqualTo("KEY whose RSA key has " + (exponentP + exponentQ) + " bits (expected: 1024 to 8192 bits)");
    }

    @Test
    void whoCannotReadAFileIsNamed() throws IOException {
        Path closed = file("closed.pem", "");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        assumeThat(Files.isReadable(closed)).as("read by root all the same").isFalse();
        assertThat(problem(new CertificateFiles(Form.PEM, closed, null, null)))
                .isEqualTo("CERTIFICATE which the user " + System.getProperty("user.name")
                        + " can't read (expected: a file that can be read)");
    }

    @Test
    void filesThatCannotBeReadAreAProblem() throws IOException {
        Path good = file("good.pem", issued.getCertificatePEM() + "\n" + issued.getPrivateKeyPEM());
        Path gone = dir.resolve("gone");
        assertThat(problem(new CertificateFiles(Form.PEM, gone, null, null)))
                .isEqualTo("CERTIFICATE which is not there (expected: a file)");
        assertThat(problem(new CertificateFiles(Form.PEM, good, gone, null)))
                .isEqualTo("KEY which is not there (expected: a file)");
        assertThat(problem(new CertificateFiles(Form.PEM, good.resolve("below"), null, null)))
                .isEqualTo("CERTIFICATE which can't be read (expected: a file that can be read)");
        assertThat(problem(new CertificateFiles(Form.PEM, dir, null, null)))
                .isEqualTo("CERTIFICATE which is a folder (expected: a file that can be read)");
        assertThat(problem(new CertificateFiles(Form.PEM, good, dir, null)))
                .isEqualTo("KEY which is a folder (expected: a file that can be read)");
        assertThat(problem(new CertificateFiles(Form.PEM, good, null, dir)))
                .isEqualTo("PASSWORD which is a folder (expected: a file that can be read)");
        assertThat(problem(new CertificateFiles(Form.PEM, Path.of("/dev/zero"), null, null)))
                .isEqualTo("CERTIFICATE which is a pipe or a device (expected: a file)");
        assertThat(problem(new CertificateFiles(Form.PKCS12, gone, null, null)))
                .isEqualTo("CERTIFICATE which is not there (expected: a file)");
    }

    @Test
    void filesAreReadToTheirBoundOnly() throws IOException {
        String text = issued.getCertificatePEM() + "\n";
        String key = issued.getPrivateKeyPEM();
        String filled = text + " ".repeat(CertificateFiles.FILE_BYTES_MAX - text.length());
        assertThat(problemOf(filled, key)).isEqualTo("none");
        assertThat(problemOf(filled + " ", key))
                .isEqualTo("CERTIFICATE which is longer (expected: a file of at most 1 MiB)");
        assertThat(problemOf(text, filled + " ")).isEqualTo("KEY which is longer (expected: a file of at most 1 MiB)");
        assertThat(problem(files(text, key, filled + " ")))
                .isEqualTo("PASSWORD which is longer (expected: a file of at most 1 MiB)");
    }

    @Test
    void allOfThemAreToBeWatched() {
        Path file = Path.of("a");
        assertThat(new CertificateFiles(Form.PKCS12, file, null, null).all()).containsExactly(file);
        assertThat(new CertificateFiles(Form.PEM, file, Path.of("b"), Path.of("c")).all())
                .containsExactly(file, Path.of("b"), Path.of("c"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"CN=A.Example", "O=Sigma,CN=A.Example,C=DE"})
    void withoutAlternativeNamesItIsForItsCommonName(String subject) throws Exception {
        X509Bundle old = Certificates.issued(new CertificateBuilder().subject(subject), certificates.authority());
        assertThat(hosts(old)).containsExactly("a.example");
    }

    @Test
    void hostsAreItsAlternativeNamesThatAreNamesOrAddresses() throws Exception {
        assertThat(files(Fixed.text("hosts.pem"), Fixed.text("ec.sec1.key"), null)
                        .read()
                        .hosts())
                .containsExactly("a.example", "127.0.0.1", "*.b.example");
        X509Bundle address = Certificates.issued(
                new CertificateBuilder().subject("CN=a.example").addSanIpAddress("127.0.0.1"),
                certificates.authority());
        assertThat(hosts(address)).containsExactly("127.0.0.1");
        X509Bundle nobody = Certificates.issued(new CertificateBuilder().subject("O=Sigma"), certificates.authority());
        assertThat(hosts(nobody)).isEmpty();
    }

    private List<String> hosts(X509Bundle of) throws Exception {
        return files(of.getCertificatePEM(), of.getPrivateKeyPEM(), null).read().hosts();
    }
}
