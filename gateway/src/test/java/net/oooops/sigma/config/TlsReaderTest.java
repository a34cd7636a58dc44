package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509CRL;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.CertificateFiles.Form;
import net.oooops.sigma.certificate.OcspSigner;
import net.oooops.sigma.config.TlsConfig.ClientAuth;
import net.oooops.sigma.config.TlsConfig.Clients;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.config.TlsConfig.Version;
import net.oooops.sigma.tls.Certificates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands in {@code ssl}, and in the files that it names. */
class TlsReaderTest {
    /** {@code ssl} is its line 3, and what is in it begins with line 4. */
    private static final String SIGMA_JSON = """
            {"proxy-server": {"https":
            {"id": "web", "port": 8443, MORE
            "ssl": {
            LINES
            }}}, "router": [{"id": "r", "proxy-server-id": "web",
             "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
             "proxy-pass": [{"id": "p", "upstream-id": "u"}],
             "upstream": [{"id": "u", "discovery": "static-config", "rule-strategy": "round-robin",
             "nodes": ["http://localhost:8888"]}]}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    @SuppressWarnings("NullAway.Init")
    private X509Bundle issued;

    @BeforeEach
    void issue() throws IOException {
        certificates = new Certificates(folder);
        issued = certificates.issued("A.Example", "b.example");
        write("a.pem", issued.getCertificatePEM());
        write("a.key", issued.getPrivateKeyPEM());
        write("ca.pem", certificates.authority().getCertificatePEM());
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private ConfigResult read(String more, String... lines) {
        byte[] json = SIGMA_JSON
                .replace("MORE", more)
                .replace("LINES", String.join(",\n", lines).replace('\'', '"'))
                .getBytes(UTF_8);
        return new ConfigReader(TestPlugins.schemas()).read(json, folder);
    }

    private TlsConfig valid(String... lines) {
        ConfigResult result = read("", lines);
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        return Objects.requireNonNull(
                ((ConfigResult.Valid) result).config().listeners().getFirst().tls());
    }

    /** Its problems, each without the path of {@code ssl}. */
    private String problems(String... lines) {
        return ((ConfigResult.Invalid) read("", lines))
                .text("f")
                .replace("/proxy-server/https/ssl", "~")
                .strip();
    }

    private static String lines(String... lines) {
        return String.join("\n", lines);
    }

    private static String[] with(String... lines) {
        String[] all = new String[lines.length + 2];
        all[0] = "'certPath': 'a.pem'";
        all[1] = "'keyPath': 'a.key'";
        System.arraycopy(lines, 0, all, 2, lines.length);
        return all;
    }

    @Test
    void whatIsLeftOutHasItsDefault() {
        TlsConfig tls = valid(with());
        assertThat(tls.minVersion()).isEqualTo(Version.TLS_1_2);
        assertThat(tls.ciphers()).isEqualTo(TlsConfig.CIPHERS_DEFAULT);
        assertThat(tls.strictSni()).isFalse();
        assertThat(tls.clients()).isEqualTo(Clients.UNASKED);
        Shown shown = tls.certificates().getFirst();
        assertThat(tls.certificates()).hasSize(1);
        assertThat(shown.files())
                .isEqualTo(new CertificateFiles(Form.PEM, folder.resolve("a.pem"), folder.resolve("a.key"), null));
        assertThat(shown.found().certificate()).isEqualTo(issued.getCertificate());
        assertThat(shown.hosts()).containsExactly("a.example", "b.example");
    }

    @Test
    void whatIsWrittenIsTaken() {
        TlsConfig tls = valid(with(
                "'server-names': ['X.Example', '*.Y.example']",
                "'strict-sni': true",
                "'min-version': 'TLSv1.2'",
                "'ciphers': ['TLS_RSA_WITH_AES_128_CBC_SHA', 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384']"));
        assertThat(tls.certificates().getFirst().hosts()).containsExactly("x.example", "*.y.example");
        assertThat(tls.strictSni()).isTrue();
        assertThat(tls.minVersion()).isEqualTo(Version.TLS_1_2);
        assertThat(tls.ciphers())
                .containsExactly("TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384");
        assertThat(valid(with("'min-version': 'TLSv1.3'")).minVersion()).isEqualTo(Version.TLS_1_3);
    }

    private List<String> warnings(String... lines) {
        return ((ConfigResult.Valid) read("", lines))
                .warnings().stream().map(each -> each.text("f")).toList();
    }

    @Test
    void whatIsNotMeantIsWarnedOf() throws IOException {
        X509Bundle good = Certificates.issued(
                Certificates.builder("a.example").notAfter(Instant.now().plus(Duration.ofDays(15))),
                certificates.authority());
        write("good.pem", good.getCertificatePEM() + good.getPrivateKeyPEM());
        X509Bundle ofClients = Certificates.issued(
                Certificates.builder("c.example")
                        .notAfter(Instant.now().plus(Duration.ofDays(15)))
                        .addExtendedKeyUsageClientAuth(),
                certificates.authority());
        write("clients.pem", ofClients.getCertificatePEM() + ofClients.getPrivateKeyPEM());
        assertThat(warnings("'certPath': 'good.pem'")).noneMatch(each -> each.contains("/ssl"));
        assertThat(warnings(with())).anyMatch(each -> each.contains("\"a.pem\", which expires at "));
        assertThat(warnings("'certPath': 'clients.pem'"))
                .anyMatch(each -> each.contains("\"clients.pem\", which isn't for servers"));
        String twice = "'certificates': [{ 'certPath': 'a.pem', 'keyPath': 'a.key' }, { 'certPath': 'good.pem' }]";
        assertThat(warnings(twice)).anyMatch(each -> each.contains("\"good.pem\", which is never shown"));
    }

    /** Off, unless it is written; and then nobody is refused for what isn't there. */
    @Test
    void whatCantBeStapledOrHasToBeIsWarnedOf() throws IOException {
        assertThat(valid(with()).ocspStapling()).isFalse();
        assertThat(valid(with("'ocsp-stapling': true")).ocspStapling()).isTrue();
        Instant late = Instant.now().plus(Duration.ofDays(15));
        X509Bundle silent =
                Certificates.issued(Certificates.builder("a.example").notAfter(late), certificates.authority());
        write("silent.pem", silent.getCertificatePEM() + silent.getPrivateKeyPEM());
        assertThat(warnings("'certPath': 'silent.pem'", "'ocsp-stapling': true"))
                .anyMatch(
                        each -> each.contains(
                                "\"silent.pem\", which names no OCSP responder (expected: one that does; this one is shown without a response)"));
        X509Bundle naming = Certificates.issued(
                OcspSigner.naming("http://ocsp.example/", "a.example")
                        .notAfter(late)
                        .addExtensionOctetString("1.3.6.1.5.5.7.1.24", false, new byte[] {0x30, 3, 2, 1, 5}),
                certificates.authority());
        write("must.pem", naming.getCertificatePEM() + naming.getPrivateKeyPEM());
        write("whole.pem", naming.getCertificatePEM() + naming.getRootCertificatePEM() + naming.getPrivateKeyPEM());
        assertThat(warnings("'certPath': 'must.pem'"))
                .anyMatch(each -> each.contains("(must-staple) (expected: \"ocsp-stapling\": true)"));
        assertThat(warnings("'certPath': 'must.pem'", "'ocsp-stapling': true"))
                .anyMatch(each -> each.contains("\"must.pem\", which doesn't have the certificate of its issuer"));
        assertThat(warnings("'certPath': 'whole.pem'", "'ocsp-stapling': true"))
                .noneMatch(each -> each.contains("OCSP"));
    }

    /** Else every handshake would fail, those of TLS 1.3, too. */
    @Test
    void aSuiteHasToGoWithTheKey() {
        assertThat(problems(with("'ciphers': ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384']")))
                .endsWith(
                        "~/ciphers: none that goes with a certificate (expected: one with _ECDSA_, as the key of a.pem is one of EC)");
    }

    @Test
    void pathsStartFromTheFolderOfSigmaJson() throws IOException {
        Path below = Files.createDirectory(folder.resolve("below"));
        Files.move(folder.resolve("a.key"), below.resolve("a.key"));
        Path whole = folder.resolve("a.pem").toAbsolutePath();
        CertificateFiles files = valid("'certPath': '" + whole + "'", "'keyPath': 'below/a.key'")
                .certificates()
                .getFirst()
                .files();
        assertThat(files.certificates()).isEqualTo(whole);
        assertThat(files.key()).isEqualTo(below.resolve("a.key"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"pkcs12", "jks"})
    void aKeyStoreHasItsPassword(String type) throws Exception {
        try (var out = Files.newOutputStream(folder.resolve("a.store"))) {
            issued.toKeyStore(type, "secret".toCharArray()).store(out, "secret".toCharArray());
        }
        write("a.txt", "secret\n");
        Shown shown = valid("'type': '" + type + "'", "'certPath': 'a.store'", "'password-file': 'a.txt'")
                .certificates()
                .getFirst();
        assertThat(shown.found().certificate()).isEqualTo(issued.getCertificate());
        assertThat(shown.files().password()).isEqualTo(folder.resolve("a.txt"));
        write("a.txt", "wrong\n");
        assertThat(problems("'type': '" + type + "'", "'certPath': 'a.store'", "'password-file': 'a.txt'"))
                .isEqualTo("f:6:18 ~/password-file: \"a.txt\", which is not its password"
                        + " (expected: the password of the key store)");
        assertThat(problems("'type': '" + type + "'", "'certPath': 'a.store'"))
                .isEqualTo(
                        "f:5:13 ~/certPath: \"a.store\", which has a password (expected: \"password-file\" beside it)");
        assertThat(problems("'type': '" + type + "'", "'certPath': 'a.store'", "'keyPath': 'a.key'"))
                .isEqualTo(
                        "f:6:1 ~/keyPath: \"keyPath\" (expected: none: the key stands in the key store, which is \"certPath\")");
    }

    @Test
    void severalCertificatesKeepTheirOrder() throws IOException {
        X509Bundle other = certificates.issued("c.example");
        write("c.pem", other.getCertificatePEM() + "\n" + other.getPrivateKeyPEM());
        TlsConfig tls = valid(
                "'certificates': [{'certPath': 'c.pem'}, {'certPath': 'a.pem', 'keyPath': 'a.key',"
                        + " 'server-names': ['*.Example']}]",
                "'strict-sni': true");
        assertThat(tls.certificates())
                .extracting(shown -> shown.found().certificate())
                .containsExactly(other.getCertificate(), issued.getCertificate());
        assertThat(tls.certificates())
                .extracting(Shown::hosts)
                .containsExactly(List.of("c.example"), List.of("*.example"));
    }

    @ParameterizedTest
    @CsvSource({"request, REQUEST", "require, REQUIRE"})
    void clientsAreAskedForTheirs(String written, ClientAuth auth) throws Exception {
        X509Bundle second = new Certificates(folder).authority();
        write("ca.pem", certificates.authority().getCertificatePEM() + "\n" + second.getCertificatePEM());
        X509CRL list =
                Certificates.revocations(certificates.authority(), Instant.now().plus(1, ChronoUnit.DAYS), issued);
        write("crl.pem", Certificates.pem("X509 CRL", list.getEncoded()));

        Clients clients = valid(with("'client-auth': '" + written + "'", "'client-ca': 'ca.pem'"))
                .clients();
        assertThat(clients.auth()).isEqualTo(auth);
        assertThat(clients.found().authorities())
                .containsExactly(certificates.authority().getCertificate(), second.getCertificate());
        assertThat(clients.found().revocations()).isEmpty();
        assertThat(valid(with("'client-auth': '" + written + "'", "'client-ca': 'ca.pem'", "'client-crl': 'crl.pem'"))
                        .clients()
                        .found()
                        .revocations())
                .containsExactly(list);
    }

    @Test
    void aServerThatIsOffHasItsFilesLeftAlone() {
        assertThat(read("\"enable\": false,", "'certPath': 'gone.pem'")).isInstanceOf(ConfigResult.Valid.class);
        assertThat(read("\"enable\": true,", "'certPath': 'gone.pem'")).isInstanceOf(ConfigResult.Invalid.class);
    }

    @Test
    void itNeedsACertificate() {
        assertThat(problems())
                .isEqualTo(
                        "f:3:8 ~: no key \"certPath\" (expected: the file of the certificate, or \"certificates\", or \"acme\")");
        assertThat(problems("'certificates': [{'keyPath': 'a.key'}]"))
                .isEqualTo("f:4:18 ~/certificates/0: no key \"certPath\" (expected: \"certPath\", a string)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "type | 'pem'",
                "certPath | 'a.pem'",
                "keyPath | 'a.key'",
                "password-file | 'a.txt'",
                "server-names | ['a']"
            })
    void oneAndSeveralDoNotGoTogether(String key, String value) {
        assertThat(problems("'certificates': [{'certPath': 'a.pem', 'keyPath': 'a.key'}]", "'" + key + "': " + value))
                .isEqualTo("f:5:1 ~/" + key + ": \"" + key + "\""
                        + " (expected: to stand in one of \"certificates\", which are beside it)");
    }

    @Test
    void filesThatAreWrongAreNamedWhereTheyAreWritten() throws IOException {
        assertThat(problems("'certPath': 'gone.pem'", "'keyPath': 'a.key'"))
                .isEqualTo("f:4:13 ~/certPath: \"gone.pem\", which is not there (expected: a file)");
        assertThat(problems("'certPath': 'a.pem'", "'keyPath': 'gone.key'"))
                .isEqualTo("f:5:12 ~/keyPath: \"gone.key\", which is not there (expected: a file)");
        assertThat(problems(with("'password-file': 'gone.txt'")))
                .isEqualTo("f:6:18 ~/password-file: \"gone.txt\", which is not there (expected: a file)");
        assertThat(problems("'certPath': '.'"))
                .isEqualTo("f:4:13 ~/certPath: \".\", which is a folder (expected: a file that can be read)");
        assertThat(problems("'certPath': 'a.key'", "'keyPath': 'a.key'"))
                .isEqualTo("f:4:13 ~/certPath: \"a.key\", which holds no certificate"
                        + " (expected: a file in PEM: -----BEGIN CERTIFICATE-----)");
        assertThat(problems("'certPath': 'a.pem'"))
                .startsWith("f:4:13 ~/certPath: \"a.pem\", which holds no private key (expected: a private key in PEM");
        write("other.key", certificates.issued("a.example").getPrivateKeyPEM());
        assertThat(problems("'certPath': 'a.pem'", "'keyPath': 'other.key'"))
                .isEqualTo("f:5:12 ~/keyPath: \"other.key\", whose key is another certificate's"
                        + " (expected: the key of the certificate)");
        assertThat(problems("'type': 'jks'", "'certPath': 'a.pem'"))
                .isEqualTo("f:5:13 ~/certPath: \"a.pem\", which can't be read as one"
                        + " (expected: a key store of type JKS)");
        assertThat(problems("'certPath': 'a\\u0000b'"))
                .isEqualTo("f:4:13 ~/certPath: \"a\\u0000b\" (expected: the path of a file)");
    }

    @Test
    void eachOfSeveralHasItsProblem() {
        assertThat(
                        problems(
                                "'certificates': [{'certPath': 'a.pem', 'keyPath': 'a.key'},\n{'certPath': 'x.pem'},\n{'certPath': 'y.pem'}]"))
                .isEqualTo(lines(
                        "f:5:14 ~/certificates/1/certPath: \"x.pem\", which is not there (expected: a file)",
                        "f:6:14 ~/certificates/2/certPath: \"y.pem\", which is not there (expected: a file)"));
    }

    @Test
    void aNameHasOneCertificate() {
        String one = "{'certPath': 'a.pem', 'keyPath': 'a.key', 'server-names': ";
        assertThat(problems("'certificates': [" + one + "['x.example', '*.a']},\n" + one + "['*.b', 'X.example']}]"))
                .isEqualTo(
                        "f:5:67 ~/certificates/1/server-names/1: \"X.example\" (expected: a name that has no other certificate; line 4 has this one)");
        assertThat(valid("'certificates': [" + one + "['x.example']},\n" + one + "['*.example']}]")
                        .certificates())
                .hasSize(2);
    }

    @Test
    void namesAreThoseOfHosts() {
        assertThat(problems(with("'server-names': ['a b', 'a.*.example', '']")))
                .isEqualTo(lines(
                        "f:6:18 ~/server-names/0: \"a b\" (expected: one host; several are an array: [\"a.example.com\", \"b.example.com\"])",
                        "f:6:25 ~/server-names/1: \"a.*.example\" (expected: a host such as www.example.com or *.example.com)",
                        "f:6:40 ~/server-names/2: \"\" (expected: a host such as www.example.com or *.example.com)"));
    }

    @Test
    void suitesAreOfTls12() {
        assertThat(problems(with("'min-version': 'TLSv1.3'", "'ciphers': ['TLS_RSA_WITH_AES_128_CBC_SHA']")))
                .isEqualTo(
                        "f:7:1 ~/ciphers: \"ciphers\" (expected: \"min-version\": \"TLSv1.2\"; those of TLS 1.3 may always be used)");
        assertThat(problems(with("'ciphers': ['TLS_AES_128_GCM_SHA256']")))
                .startsWith("f:6:13 ~/ciphers/0: \"TLS_AES_128_GCM_SHA256\" (expected: one of \"TLS_ECDHE_");
    }

    @Test
    void wordsThatAreNotKnownAreAProblem() {
        assertThat(problems(with("'type': 'der'")))
                .isEqualTo("f:6:9 ~/type: \"der\" (expected: one of \"pem\", \"pkcs12\", \"jks\")");
        assertThat(problems(with("'type': 'PEM'")))
                .isEqualTo(
                        "f:6:9 ~/type: \"PEM\" (expected: one of \"pem\", \"pkcs12\", \"jks\"; did you mean \"pem\"?)");
        assertThat(problems(with("'client-auth': 'always'")))
                .isEqualTo("f:6:16 ~/client-auth: \"always\" (expected: one of \"none\", \"request\", \"require\")");
        assertThat(problems(with("'min-version': 'TLSv1.1'")))
                .isEqualTo(
                        "f:6:16 ~/min-version: \"TLSv1.1\" (expected: one of \"TLSv1.2\", \"TLSv1.3\"; did you mean \"TLSv1.2\"?)");
        assertThat(problems("'certificates': [{'type': 'der', 'certPath': 'a.pem'}, 'a.pem', 7]"))
                .isEqualTo(lines(
                        "f:4:27 ~/certificates/0/type: \"der\" (expected: one of \"pem\", \"pkcs12\", \"jks\")",
                        "f:4:56 ~/certificates/1: \"a.pem\" (expected: an object)",
                        "f:4:65 ~/certificates/2: 7 (expected: an object)"));
        assertThat(problems("'certPath': ''", "'keyPath': 7", "'client-ca': 'ca.pem'"))
                .isEqualTo(
                        lines(
                                "f:4:13 ~/certPath: \"\" (expected: a text that is not empty)",
                                "f:5:12 ~/keyPath: 7 (expected: a string)",
                                "f:6:1 ~/client-ca: \"client-ca\" (expected: \"client-auth\": \"require\" or \"request\" beside it)"));
    }

    @Test
    void whatIsAboutClientsNeedsThemAsked() {
        assertThat(problems(with("'client-ca': 'ca.pem'", "'client-crl': 'crl.pem'")))
                .isEqualTo(
                        lines(
                                "f:6:1 ~/client-ca: \"client-ca\" (expected: \"client-auth\": \"require\" or \"request\" beside it)",
                                "f:7:1 ~/client-crl: \"client-crl\" (expected: \"client-auth\": \"require\" or \"request\" beside it)"));
        assertThat(problems(with("'client-auth': 'none'", "'client-ca': 'ca.pem'")))
                .isEqualTo(
                        "f:7:1 ~/client-ca: \"client-ca\" (expected: \"client-auth\": \"require\" or \"request\" beside it)");
        assertThat(problems(with("'client-auth': 'require'")))
                .isEqualTo(
                        "f:3:8 ~: no key \"client-ca\" (expected: the file of the certificates that those of clients are issued by)");
        assertThat(problems(with("'client-auth': 'request'", "'client-crl': 'crl.pem'")))
                .isEqualTo(
                        "f:3:8 ~: no key \"client-ca\" (expected: the file of the certificates that those of clients are issued by)");
    }

    private static ConfigResult servers(String https) {
        byte[] json = ("{\"proxy-server\": {\"https\":\n" + https.replace('\'', '"') + "\n}}").getBytes(UTF_8);
        return new ConfigReader(TestPlugins.schemas()).read(json, Path.of(""));
    }

    @Test
    void aServerOfWhichNothingIsSaidIsThereToTry() {
        ConfigResult.Valid valid = (ConfigResult.Valid) servers("{}");
        ListenerConfig server = valid.config().listeners().getFirst();
        assertThat(server.id()).isEqualTo("https");
        assertThat(server.port()).isEqualTo(8443);
        TlsConfig tls = Objects.requireNonNull(server.tls());
        assertThat(tls.isSelfSigned()).isTrue();
        assertThat(tls.certificates().getFirst().hosts()).contains("localhost", "127.0.0.1");
        assertThat(valid.warnings().stream().map(warning -> warning.text("f")))
                .contains(
                        "f:2:1 /proxy-server/https: no key \"ssl\" (expected: a certificate for the public; a self-signed one"
                                + " for localhost is made at each start, which nobody else trusts)");
    }

    @Test
    void aServerThatIsOffGetsNoCertificate() {
        ConfigResult.Valid valid =
                (ConfigResult.Valid) servers("[{'id': 'a', 'port': 1}, {'id': 'b', 'enable': false}]");
        assertThat(valid.config().listeners()).hasSize(1);
        assertThat(valid.warnings().stream().filter(warning -> warning.found().contains("ssl")))
                .hasSize(1);
    }

    @Test
    void severalServersHaveIdsAndPortsOfTheirOwn() {
        assertThat(((ConfigResult.Invalid) servers("[{}]")).text("f"))
                .contains("f:2:2 /proxy-server/https/0: no key \"id\"");
        assertThat(((ConfigResult.Invalid) servers("[{'id': 'a'}, {'id': 'b'}]")).text("f"))
                .contains("/proxy-server/https/1/port: 8443 (expected: a port of its own; the server \"a\" listens on");
        assertThat(((ConfigResult.Invalid) servers("5")).text("f")).contains("/proxy-server/https: 5");
    }

    @Test
    void authoritiesAndListsThatAreWrongAreNamed() throws IOException {
        write("broken.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
        write("broken.crl", "-----BEGIN X509 CRL-----\nMIIB\n-----END X509 CRL-----\n");
        assertThat(clients("gone.pem", "a.key"))
                .isEqualTo(lines(
                        "f:7:14 ~/client-ca: \"gone.pem\", which is not there (expected: a file)",
                        "f:8:15 ~/client-crl: \"a.key\", which holds no list (expected: -----BEGIN X509 CRL-----)"));
        assertThat(clients("a.key", "gone.crl"))
                .isEqualTo(lines(
                        "f:7:14 ~/client-ca: \"a.key\", which holds no certificate (expected: certificates in PEM)",
                        "f:8:15 ~/client-crl: \"gone.crl\", which is not there (expected: a file)"));
        assertThat(clients("broken.pem", "broken.crl"))
                .isEqualTo(lines(
                        "f:7:14 ~/client-ca: \"broken.pem\", whose certificate 1 can't be read (expected: certificates in PEM)",
                        "f:8:15 ~/client-crl: \"broken.crl\", whose list 1 can't be read (expected: lists in PEM)"));
        assertThat(clients(".", "."))
                .isEqualTo(lines(
                        "f:7:14 ~/client-ca: \".\", which is a folder (expected: a file that can be read)",
                        "f:8:15 ~/client-crl: \".\", which is a folder (expected: a file that can be read)"));
        assertThat(clients("a\\u0000", "a\\u0000"))
                .isEqualTo(lines(
                        "f:7:14 ~/client-ca: \"a\\u0000\" (expected: the path of a file)",
                        "f:8:15 ~/client-crl: \"a\\u0000\" (expected: the path of a file)"));
    }

    private String clients(String authorities, String lists) {
        return problems(with(
                "'client-auth': 'require'", "'client-ca': '" + authorities + "'", "'client-crl': '" + lists + "'"));
    }
}
