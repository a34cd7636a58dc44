package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocket;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.SelfSigned;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.Renewable;
import net.oooops.sigma.tls.SecureClient;
import net.oooops.sigma.tls.ServerTls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Files of certificates are replaced while the gateway runs. */
@Isolated("the log")
class CertificateWatchTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private final FileTime lately = FileTime.from(Instant.now());

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private final LoggedLines log = new LoggedLines(CertificateWatch.class);

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    @SuppressWarnings("NullAway.Init")
    private X509Bundle first;

    @SuppressWarnings("NullAway.Init")
    private Shown shown;

    @SuppressWarnings("NullAway.Init")
    private ServerTls tls;

    @SuppressWarnings("NullAway.Init")
    private CertificateWatch watch;

    @BeforeEach
    void start() {
        certificates = new Certificates(dir);
        first = issued("a.example");
        watch(first);
    }

    private void watch(X509Bundle certificate) {
        shown = certificates.shown(certificate);
        tls = new ServerTls(Certificates.config(shown));
        watch = CertificateWatch.of(List.of(CertificateWatch.Owner.listener("web", tls)));
    }

    @AfterEach
    void stop() {
        log.close();
        tls.close();
    }

    /** A self-signed one is said to be that, once, and made anew when two thirds of its time are over. */
    @Test
    void aSelfSignedCertificateIsWarnedOfAndMadeAnew() {
        tls.close();
        KeyedCertificate old = SelfSigned.forLocalhost(now.minus(25, ChronoUnit.DAYS));
        tls = new ServerTls(Certificates.config(new Shown(CertificateFiles.SELF_SIGNED, old, List.of())));
        watch = CertificateWatch.of(List.of(CertificateWatch.Owner.listener("web", tls)));
        look(1);
        assertThat(tls.certificates().getFirst()).isNotEqualTo(old);
        look(3);
        assertThat(log.lines())
                .containsExactly(
                        "WARN web: shows a self-signed certificate for localhost, which nobody else trusts: not for the public",
                        "INFO web: takes the new certificate in self-signed, until "
                                + tls.certificates().getFirst().notAfter());
    }

    private Path certificateFile() {
        return shown.files().certificates();
    }

    private Path keyFile() {
        return shown.files().all().get(1);
    }

    /** Files that aren't young: they are read again only where their stamp is another one. */
    private void settle() throws IOException {
        age(certificateFile());
        age(keyFile());
        watch.look(now);
        watch.look(now);
    }

    private void age(Path file) throws IOException {
        age(file, 60);
    }

    private void age(Path file, int seconds) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(now.minusSeconds(seconds)));
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            watch.look(now);
        }
    }

    private void assertShown(X509Bundle expected) {
        assertThat(tls.certificates())
                .extracting(KeyedCertificate::certificate)
                .containsExactly(expected.getCertificate());
    }

    private String until(X509Bundle certificate) {
        return String.valueOf(certificate.getCertificate().getNotAfter().toInstant());
    }

    /** One of which nothing is to be said yet. */
    private X509Bundle issued(String host) {
        return issued(host, now.plus(80, ChronoUnit.DAYS));
    }

    private X509Bundle issuedUntil(Instant end) {
        return issued("a.example", end);
    }

    private X509Bundle issued(String host, Instant end) {
        return Certificates.issued(
                Certificates.builder(host)
                        .notBefore(now.minus(1, ChronoUnit.DAYS))
                        .notAfter(end),
                certificates.authority());
    }

    @Test
    void newFilesAreShownAtTheNextLook() throws IOException {
        settle();
        X509Bundle second = issued("b.example");
        Certificates.write(shown.files(), second);
        assertShown(first);
        look(1);
        assertShown(second);
        look(5);
        assertThat(log.lines())
                .containsExactly(
                        "INFO web: takes the new certificate in " + certificateFile() + ", until " + until(second));
    }

    /** What is written within the same tick of the file system's clock, and as long, has the same stamp. */
    @Test
    void filesThatAreYoungAreReadAgainWithoutASign() throws IOException {
        writeYoung(first);
        look(1);
        assertShown(first);
        X509Bundle second = issued("a.example");
        writeYoung(second);
        look(1);
        assertShown(second);
    }

    /** As long as any other, and written at the same time, which isn't over yet. */
    private void writeYoung(X509Bundle bundle) throws IOException {
        Files.writeString(certificateFile(), padded(bundle.getCertificatePEM()));
        Files.setLastModifiedTime(certificateFile(), lately);
        Files.writeString(keyFile(), padded(bundle.getPrivateKeyPEM()));
        Files.setLastModifiedTime(keyFile(), lately);
    }

    private static String padded(String text) {
        return text + "\n" + " ".repeat(4000 - text.length());
    }

    @Test
    void aFileThatIsLinkedElsewhereIsANewOne() throws IOException {
        Path links = Files.createDirectory(dir.resolve("live"));
        Path old = Files.createDirectory(dir.resolve("1"));
        Path next = Files.createDirectory(dir.resolve("2"));
        X509Bundle second = issued("a.example");
        writeTo(old, first);
        writeTo(next, second);
        Path certificate = Files.createSymbolicLink(links.resolve("a.pem"), old.resolve("a.pem"));
        Path key = Files.createSymbolicLink(links.resolve("a.key"), old.resolve("a.key"));
        CertificateFiles files = new CertificateFiles(CertificateFiles.Form.PEM, certificate, key, null);
        tls.close();
        shown = new Shown(files, shown.found(), shown.written());
        tls = new ServerTls(Certificates.config(shown));
        watch = CertificateWatch.of(List.of(CertificateWatch.Owner.listener("web", tls)));
        look(3);
        assertShown(first);
        Files.delete(certificate);
        Files.createSymbolicLink(certificate, next.resolve("a.pem"));
        Files.delete(key);
        Files.createSymbolicLink(key, next.resolve("a.key"));
        look(1);
        assertShown(second);
    }

    private void writeTo(Path folder, X509Bundle bundle) throws IOException {
        Files.writeString(folder.resolve("a.pem"), bundle.getCertificatePEM());
        Files.writeString(folder.resolve("a.key"), bundle.getPrivateKeyPEM());
        age(folder.resolve("a.pem"));
        age(folder.resolve("a.key"));
    }

    @Test
    void theSameContentIsNotANewCertificate() throws IOException {
        settle();
        KeyedCertificate before = tls.certificates().getFirst();
        Certificates.write(shown.files(), first);
        look(5);
        assertThat(tls.certificates().getFirst()).isSameAs(before);
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void halfOfItIsSaidAfterThreeLooksAndHeals() throws IOException {
        settle();
        X509Bundle second = issued("b.example");
        Files.writeString(certificateFile(), second.getCertificatePathPEM());
        age(certificateFile(), 30);
        look(2);
        assertThat(log.lines()).isEmpty();
        look(1);
        String wrong = "WARN web: " + keyFile()
                + ", whose key is another certificate's (expected: the key of the certificate);"
                + " the certificate before stays";
        assertThat(log.lines()).containsExactly(wrong);
        look(20);
        assertThat(log.lines()).as("said once").containsExactly(wrong);
        assertShown(first);

        Files.writeString(keyFile(), second.getPrivateKeyPEM());
        age(keyFile(), 30);
        look(1);
        assertShown(second);
        assertThat(log.lines())
                .containsExactly(
                        wrong,
                        "INFO web: takes the new certificate in " + certificateFile() + ", until " + until(second));
    }

    @Test
    void halfOfItForAMomentIsNotSaid() throws IOException {
        settle();
        X509Bundle second = issued("b.example");
        Files.writeString(keyFile(), second.getPrivateKeyPEM());
        look(2);
        assertShown(first);
        Files.writeString(certificateFile(), second.getCertificatePathPEM());
        look(1);
        assertShown(second);
        assertThat(log.lines()).hasSize(1).first().asString().startsWith("INFO");
    }

    @Test
    void filesMayBeGoneForAWhile() throws IOException {
        settle();
        Path aside = dir.resolve("aside");
        Files.move(certificateFile(), aside);
        look(10);
        assertShown(first);
        Files.move(aside, certificateFile());
        look(10);
        assertShown(first);
        assertThat(log.lines())
                .containsExactly(
                        "WARN web: " + certificateFile() + ", which is not there (expected: a file);"
                                + " the certificate before stays",
                        "INFO web: " + certificateFile() + " is valid again");
    }

    /** A second mistake isn't hidden by the first. */
    @Test
    void whatIsWrongInAnotherWayIsSaid() throws IOException {
        settle();
        Files.writeString(certificateFile(), "");
        look(3);
        Files.delete(certificateFile());
        look(3);
        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().get(1)).contains("which is not there");
        assertShown(first);
    }

    /** Else no handshake would come to an end any more. */
    @Test
    void whatNobodyCanUseIsNotShown() throws Exception {
        settle();
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(512);
        X509Bundle weak = Certificates.issued(
                Certificates.builder("a.example").keyPair(generator.generateKeyPair()), certificates.authority());
        Certificates.write(shown.files(), weak);
        look(5);
        assertShown(first);
        assertThat(log.lines())
                .containsExactly("WARN web: " + keyFile()
                        + ", whose RSA key has 512 bits (expected: 1024 to 8192 bits);"
                        + " the certificate before stays");
    }

    @Test
    void eachCertificateIsWatchedByItself() throws IOException {
        Shown other = certificates.shown(issued("other.example"));
        tls.close();
        tls = new ServerTls(Certificates.config(shown, other));
        watch = CertificateWatch.of(List.of(CertificateWatch.Owner.listener("web", tls)));
        Files.delete(certificateFile());
        X509Bundle second = issued("second.example");
        Certificates.write(other.files(), second);
        look(3);
        assertThat(tls.certificates())
                .extracting(KeyedCertificate::certificate)
                .containsExactly(first.getCertificate(), second.getCertificate());
    }

    @Test
    void whatExpiresWithinFourteenDaysIsSaidOnceADay() {
        Instant end = now.plus(30, ChronoUnit.DAYS);
        tls.close();
        watch(issuedUntil(end));
        String soon = "WARN web: the certificate in " + certificateFile() + " expires at " + end;
        Instant from = end.minus(14, ChronoUnit.DAYS);
        watch.look(from.minusSeconds(1));
        assertThat(log.lines()).isEmpty();
        watch.look(from);
        watch.look(from.plusSeconds(1));
        watch.look(from.plus(1, ChronoUnit.DAYS).minusSeconds(1));
        assertThat(log.lines()).containsExactly(soon);
        watch.look(from.plus(1, ChronoUnit.DAYS));
        assertThat(log.lines()).containsExactly(soon, soon);
    }

    @Test
    void whatHasExpiredIsSaidAtOnceAndThenOnceADay() {
        Instant end = now.plus(30, ChronoUnit.DAYS);
        tls.close();
        watch(issuedUntil(end));
        String soon = "WARN web: the certificate in " + certificateFile() + " expires at " + end;
        String over = "WARN web: the certificate in " + certificateFile() + " has expired at " + end;
        watch.look(end.minusSeconds(60));
        watch.look(end);
        assertThat(log.lines()).containsExactly(soon);
        watch.look(end.plusSeconds(1));
        watch.look(end.plusSeconds(2));
        assertThat(log.lines()).containsExactly(soon, over);
        watch.look(end.plus(Duration.ofDays(1)).plusSeconds(1));
        assertThat(log.lines()).containsExactly(soon, over, over);
    }

    @Test
    void aNewCertificateThatExpiresSoonIsSaidAtOnce() {
        Instant end = now.plus(2, ChronoUnit.DAYS);
        tls.close();
        watch(issuedUntil(end));
        watch.look(now);
        Instant later = now.plus(3, ChronoUnit.DAYS);
        Certificates.write(shown.files(), issuedUntil(later));
        watch.look(now.plusSeconds(1));
        watch.look(now.plusSeconds(2));
        assertThat(log.lines())
                .containsExactly(
                        "WARN web: the certificate in " + certificateFile() + " expires at " + end,
                        "INFO web: takes the new certificate in " + certificateFile() + ", until " + later,
                        "WARN web: the certificate in " + certificateFile() + " expires at " + later);
    }

    @Test
    void connectionsThatAreOpenGoOn() throws IOException {
        SecureClient client = new SecureClient(certificates.authority(), null);
        TlsConfig config = Certificates.config(shown);
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                GatewayFixture gateway = GatewayFixture.to(node).tls(config).start();
                RawClient open = client.connect(gateway.port(), "a.example")) {
            assertThat(open.send(GET).readResponse().status()).isEqualTo(200);
            for (int i = 0; i < 3; i++) {
                X509Bundle next = issued("a.example");
                Certificates.write(shown.files(), next);
                Await.until("shown", () -> isShown(gateway.port(), next));
                assertThat(open.send(GET).readResponse().bodyText()).isEqualTo("yes");
            }
        }
    }

    private boolean isShown(int port, X509Bundle expected) {
        try (SSLSocket socket = new SecureClient(certificates.authority(), null).handshake(port, "a.example")) {
            return socket.getSession().getPeerCertificates()[0].equals(expected.getCertificate());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** What fails at the first look with an error of the JVM's. */
    private final class Unlucky implements Renewable {
        private int renewals;

        @Override
        public List<Path> files() {
            return List.of(certificateFile());
        }

        @Override
        public Path file() {
            return Path.of("unlucky.pem");
        }

        @Override
        public String what() {
            return "certificate";
        }

        @Override
        public Instant notAfter() {
            return Instant.MAX;
        }

        @Override
        public boolean renew() {
            renewals++;
            if (renewals < 3) {
                throw new NoClassDefFoundError("org/bouncycastle/A");
            }
            return false;
        }
    }

    /** It is said once, the others are looked at, and it is tried again. */
    @Test
    void anErrorOfTheJvmIsOneOfItsFileAlone() throws Exception {
        Unlucky unlucky = new Unlucky();
        List<Renewable> both = new ArrayList<>(List.of(unlucky));
        both.addAll(tls.renewables());
        watch = CertificateWatch.of(
                List.of(new CertificateWatch.Owner(Sources.CertificateOwner.LISTENER, "web", tls, both, false)));
        X509Bundle second = issued("a.example");
        Certificates.write(shown.files(), second);
        look(3);
        assertThat(unlucky.renewals).isEqualTo(3);
        assertThat(log.lines().stream().filter(line -> line.contains("unlucky.pem")))
                .containsExactly(
                        "ERROR web: unlucky.pem could not be looked at", "INFO web: unlucky.pem is valid again");
        assertShown(second);
    }
}
