package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.HeldFile;
import net.oooops.sigma.certificate.MacKeyFile;
import net.oooops.sigma.certificate.SecretFolder;
import net.oooops.sigma.config.AcmeConfig.Challenge;
import net.oooops.sigma.tls.Certificates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What stands in {@code ssl.acme}, and in its folder. */
class AcmeReaderTest {
    private static final String NAMES = "'server-names': ['A.Example', 'b.example']";
    private static final String AGREED = "'terms-of-service-agreed': true";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path own;

    /** Whether it is read in a process that serves. */
    private boolean again;

    @BeforeEach
    void prepare() {
        own = folder.resolve("acme/acme-v02.api.letsencrypt.org-directory");
    }

    /** Asking it might never come to an end. */
    @Test
    void aFolderOrAKeyThatDoesNotAnswerIsAProblemWithItsPlace() throws Exception {
        again = true;
        Path key = folder.resolve("mac");
        try (HeldFile _ = new HeldFile(own);
                HeldFile _ = new HeldFile(key)) {
            assertThat(problems(NAMES, AGREED))
                    .isEqualTo("f:2:1 ~: OWN, which hasn't answered yet what it was asked before"
                            + " (expected: a folder that can be read)");
            assertThat(problems(NAMES, AGREED, "'eab-key-id': 'a'", "'eab-key-file': 'mac'"))
                    .contains(" ~/eab-key-file: \"mac\", which hasn't answered yet what it was asked before"
                            + " (expected: a file that can be read)");
            assertThat(read("", NAMES, AGREED)).isInstanceOfSatisfying(ConfigResult.Invalid.class, found -> {
                assertThat(found.unanswered()).isTrue();
                assertThat(found.files()).contains(own);
            });
        }
    }

    private ConfigResult read(String plain, String... keys) {
        String json = "{'proxy-server': {" + plain + "'https': {'id': 'web', 'ssl': {'acme':\n{"
                + String.join(", ", keys) + "}\n}}}}";
        ConfigReader reader = new ConfigReader(TestPlugins.schemas());
        return (again ? reader.again() : reader).read(json.replace('\'', '"').getBytes(UTF_8), folder);
    }

    private AcmeConfig valid(String plain, String... keys) {
        ConfigResult result = read(plain, keys);
        assertThat(result).as(() -> ((ConfigResult.Invalid) result).text("f")).isInstanceOf(ConfigResult.Valid.class);
        SigmaConfig config = ((ConfigResult.Valid) result).config();
        AcmeConfig acme = Objects.requireNonNull(
                Objects.requireNonNull(config.listeners().getLast().tls()).acme());
        assertThat(config.asked()).containsExactly(acme);
        return acme;
    }

    private String problems(String... keys) {
        return ((ConfigResult.Invalid) read("", keys))
                .text("f")
                .replace("/proxy-server/https/ssl/acme", "~")
                .replace(own.toString(), "OWN")
                .replace(folder.toString(), "FOLDER")
                .strip();
    }

    @Test
    void whatIsLeftOutHasItsDefault() {
        AcmeConfig acme = valid("", NAMES, AGREED);
        assertThat(acme.hosts()).containsExactly("a.example", "b.example");
        assertThat(acme.directory()).hasToString("https://acme-v02.api.letsencrypt.org/directory");
        assertThat(acme.folder()).isEqualTo(own);
        assertThat(acme.email()).isNull();
        assertThat(acme.authorities()).isEmpty();
        assertThat(acme.found()).isEmpty();
        assertThat(acme.challenges()).containsExactly(Challenge.TLS_ALPN_01);
        assertThat(folder).as("nothing is made").isEmptyDirectory();
    }

    @Test
    void aServerOfHttp2AloneIsNoneOfPlainHttp() {
        String only = "'http': {'id': 'p', 'port': 80, 'http2': 'only'}, ";
        assertThat(valid(only, NAMES, AGREED).challenges()).containsExactly(Challenge.TLS_ALPN_01);
        assertThat(((ConfigResult.Invalid) read(only, NAMES, AGREED, "'challenge': 'http-01'")).text("f"))
                .contains("a server of \"http\" beside");
    }

    @Test
    void whereThereIsPlainHttpItIsTriedFirst() {
        String plain = "'http': {'id': 'p', 'port': 80}, ";
        assertThat(valid(plain, NAMES, AGREED).challenges()).containsExactly(Challenge.HTTP_01, Challenge.TLS_ALPN_01);
        assertThat(valid(plain, NAMES, AGREED, "'challenge': 'tls-alpn-01'").challenges())
                .containsExactly(Challenge.TLS_ALPN_01);
        assertThat(valid(plain, NAMES, AGREED, "'challenge': 'http-01'").challenges())
                .containsExactly(Challenge.HTTP_01);
    }

    @Test
    void whatIsWrittenIsTaken() throws Exception {
        Certificates certificates = new Certificates(folder);
        Files.writeString(folder.resolve("ca.pem"), certificates.authority().getCertificatePEM());
        AcmeConfig acme = valid(
                "",
                NAMES,
                AGREED,
                "'email': 'a@b.example'",
                "'directory': 'https://localhost:14000/dir'",
                "'ca': 'ca.pem'",
                "'folder': 'keys'");
        assertThat(acme.email()).isEqualTo("a@b.example");
        assertThat(acme.folder()).isEqualTo(folder.resolve("keys/localhost-14000-dir"));
        assertThat(acme.authorities()).containsExactly(certificates.authority().getCertificate());
    }

    private static String key(int bytes) {
        byte[] key = new byte[bytes];
        Arrays.fill(key, (byte) 0xFB);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
    }

    /** It is where it was: the key itself is read when it is needed, and shown by nothing. */
    @Test
    void theKeyOfAnAccountWithTheIssuerStaysInItsFile() throws Exception {
        String key = key(64);
        Files.writeString(folder.resolve("eab.key"), key + "\r\n");
        AcmeConfig acme = valid("", NAMES, AGREED, "'eab-key-id': 'kid-1'", "'eab-key-file': 'eab.key'");
        assertThat(acme.binding()).isEqualTo(new AcmeConfig.Binding("kid-1", folder.resolve("eab.key")));
        assertThat(acme.toString()).doesNotContain(key);
        assertThat(MacKeyFile.read(folder.resolve("eab.key")).getEncoded()).hasSize(64);
        assertThat(valid("", NAMES, AGREED).binding()).isNull();
    }

    @Test
    void whatIsInTheFolderIsShownFromTheStartOn() throws Exception {
        X509Bundle issued = new Certificates(folder).issued("a.example");
        SecretFolder.make(own);
        SecretFolder.write(own.resolve("a.example.pem"), issued.getCertificatePathPEM() + issued.getPrivateKeyPEM());
        AcmeConfig acme = valid("", NAMES, AGREED);
        assertThat(acme.found()).containsOnlyKeys("a.example");
        assertThat(Objects.requireNonNull(acme.found().get("a.example")).certificate())
                .isEqualTo(issued.getCertificate());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{NAMES} | f:2:1 ~: no key \"terms-of-service-agreed\" (expected: true, which says that you agree to the terms of service of https://acme-v02.api.letsencrypt.org/directory)",
                "{NAMES}, 'terms-of-service-agreed': false | f:2:73 ~/terms-of-service-agreed: false (expected: true, which says that you agree to the terms of service of https://acme-v02.api.letsencrypt.org/directory)",
                "{AGREED} | f:2:1 ~: no key \"server-names\"",
                "{AGREED}, 'server-names': ['*.example.com'] | a certificate for *.example.com takes the challenge dns-01, which isn't there: it can come from files, in \"certificates\" beside \"acme\")",
                "{AGREED}, 'server-names': ['10.0.0.1'] | \"10.0.0.1\" (expected: the name of a host)",
                "{AGREED}, 'server-names': ['../a'] | \"../a\" (expected: a host name)",
                "{NAMES}, {AGREED}, 'directory': 'http://localhost/dir' | \"http://localhost/dir\" (expected: a URL that begins with https://)",
                "{NAMES}, {AGREED}, 'directory': 'https:' | \"https:\" (expected: a URL that begins with https://)",
                "{NAMES}, {AGREED}, 'email': 'nobody' | \"nobody\" (expected: an address such as admin@example.com)",
                "{NAMES}, {AGREED}, 'ca': 'gone.pem' | ~/ca: \"gone.pem\", which is not there (expected: a file)",
                "{NAMES}, {AGREED}, 'eab-key-id': 'a' | ~: no key \"eab-key-file\" (expected: the file of the key that \"eab-key-id\" names)",
                "{NAMES}, {AGREED}, 'eab-key-file': 'eab.key' | ~: no key \"eab-key-id\" (expected: what the issuer calls the key in \"eab-key-file\")",
                "{NAMES}, {AGREED}, 'eab-key-id': 'a', 'eab-key-file': 'gone' | ~/eab-key-file: \"gone\", which is not there (expected: a file)",
                "{NAMES}, {AGREED}, 'eab-key-id': 'a', 'eab-key-file': 'short.key' | ~/eab-key-file: \"short.key\", whose key has 31 bytes (expected: 32 bytes or more, in base64url, as the issuer gives them)",
                "{NAMES}, {AGREED}, 'eab-key-id': 'a', 'eab-key-file': 'other.key' | ~/eab-key-file: \"other.key\", whose first line isn't base64url (expected: the key in base64url, as the issuer gives it)",
                "{NAMES}, {AGREED}, 'eab-key-id': '', 'eab-key-file': 'eab.key' | ~/eab-key-id: ",
                "{NAMES}, {AGREED}, 'challenge': 'dns-01' | \"dns-01\" (expected: ",
                "{NAMES}, {AGREED}, 'challenge': 'http-01' | \"http-01\" (expected: \"tls-alpn-01\", or a server of \"http\" beside, as http-01 is asked over plain HTTP)"
            })
    void whatIsWrongIsNamed(String keys, String expected) throws Exception {
        Files.writeString(folder.resolve("eab.key"), key(32));
        Files.writeString(folder.resolve("short.key"), key(31));
        Files.writeString(folder.resolve("other.key"), "secret+/");
        String written = keys.replace("{NAMES}", NAMES).replace("{AGREED}", AGREED);
        assertThat(problems(written)).contains(expected).hasLineCount(1);
    }

    @Test
    void whatIsWrongInTheFolderIsNamed() throws Exception {
        SecretFolder.make(own);
        SecretFolder.write(own.resolve("a.example.pem"), "garbage");
        SecretFolder.write(own.resolve("account.key"), "garbage");
        assertThat(problems(NAMES, AGREED))
                .isEqualTo(
                        "f:2:1 ~: OWN/account.key, which holds no private key (expected: a private key in PEM: PRIVATE KEY,"
                                + " ENCRYPTED PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY; where it is taken away, another one is asked for)");
        Files.delete(own.resolve("account.key"));
        assertThat(problems(NAMES, AGREED))
                .startsWith("f:2:1 ~: OWN/a.example.pem, which holds no certificate (expected: ");
    }

    @Test
    void whatOthersHaveRightsToIsNoPlaceForKeys() throws Exception {
        SecretFolder.make(own);
        SecretFolder.write(own.resolve("a.example.pem"), "");
        Path acme = folder.resolve("acme");
        for (Path each : List.of(own.resolve("a.example.pem"), own, acme)) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
            boolean file = each.toString().endsWith(".pem");
            assertThat(problems(NAMES, AGREED, "'folder': 'acme'"))
                    .contains("~/folder: ")
                    .contains(
                            ", which others have rights to (rwxr-xr-x) (expected: " + (file ? "rw-------" : "rwx------")
                                    + ", as it holds private keys: chmod " + (file ? "600" : "700") + ")");
        }
    }

    @Test
    void suitesHaveToGoWithItsKeys() {
        String json =
                "{'proxy-server': {'https': {'ssl': {'ciphers': ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'], 'acme': {"
                        + NAMES + ", " + AGREED + "}}}}}";
        ConfigResult result = new ConfigReader(TestPlugins.schemas())
                .read(json.replace('\'', '"').getBytes(UTF_8), folder);
        assertThat(((ConfigResult.Invalid) result).text("f"))
                .contains(
                        "/ssl/ciphers: none that goes with a certificate (expected: one with _ECDSA_, as certificates that are"
                                + " asked for have keys of EC)");
    }

    /** Else the first that is heard of it is that no certificate comes. */
    @Test
    void whereNoFolderCanBeMadeIsSaid() throws Exception {
        Files.writeString(folder.resolve("file"), "");
        assertThat(problems(NAMES, AGREED, "'folder': 'file/acme/a'"))
                .contains("~/folder: FOLDER/file, which is no folder (expected: a folder, in which FOLDER/file/acme/a/")
                .endsWith(" can be made)");
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("gone"));
        assertThat(problems(NAMES, AGREED, "'folder': 'link'")).contains("~/folder: FOLDER/link, which is no folder");
    }

    @Test
    void whatMayNotBeWrittenIntoIsNoPlaceForOne() throws Exception {
        Files.createDirectory(folder.resolve("locked"));
        Files.setPosixFilePermissions(folder.resolve("locked"), PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeFalse(Files.isWritable(folder.resolve("locked")), "this user is root");
        assertThat(problems(NAMES, AGREED, "'folder': 'locked/acme'"))
                .contains(
                        "~/folder: FOLDER/locked, which can't be written into (expected: a folder of the user that runs Sigma")
                .endsWith("can be made)");
    }

    @Test
    void aFileIsNoFolder() throws Exception {
        Files.writeString(folder.resolve("acme"), "");
        assertThat(problems(NAMES, AGREED)).isEqualTo("f:2:1 ~: FOLDER/acme, which is a file (expected: a folder)");
        assertThat(problems(NAMES, AGREED, "'folder': 'a\\u0000'")).contains("(expected: the path of a folder)");
    }
}
