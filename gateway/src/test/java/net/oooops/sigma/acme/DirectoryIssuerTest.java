package net.oooops.sigma.acme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.ask.WholeBody;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.CertifiedFixture;
import net.oooops.sigma.tls.PendingChallenges;
import net.oooops.sigma.tls.SecureNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever an issuer answers, there is an end to it, and it is said in plain words. */
@Timeout(60)
class DirectoryIssuerTest extends CertifiedFixture {
    /** Of an answer that ends or is refused, where a connection takes its time as others stall the machine. */
    private static final Duration LONG = Duration.ofSeconds(20);
    /** Of one that never ends: long enough for a connection. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    private UpstreamOptions encrypted() {
        return UpstreamOptions.defaults().withWrapping(new SecureNode(certificates.issued("localhost"), null));
    }

    private void assertNotIssued(String directory, String... words) {
        assertNotIssued(directory, LONG, words);
    }

    private void assertNotIssued(String directory, Duration limit, String... words) {
        WholeBody.Bounds bounds = new WholeBody.Bounds(1 << 20, limit);
        AcmeConfig config = new AcmeConfig(
                List.of("a.example"),
                null,
                null,
                URI.create(directory),
                dir.resolve("acme"),
                List.of(certificates.authority().getCertificate()),
                List.of(AcmeConfig.Challenge.HTTP_01),
                Map.of());
        CertificateFolder folder = new CertificateFolder(config);
        assertThatThrownBy(() -> {
                    try (CertificateFolder.Lock lock = folder.lock()) {
                        assertThat(lock).isNotNull();
                        new DirectoryIssuer(config, folder, new PendingChallenges(), bounds).issue("a.example", null);
                    }
                })
                .isInstanceOf(NotIssuedException.class)
                .hasMessageStartingWith(directory)
                .hasMessageContainingAll(words)
                // Names of classes are nothing for operators.
                .satisfies(thrown -> assertThat(thrown.getMessage()).doesNotContainPattern("[a-z]Exception"));
    }

    private void assertNotIssued(ScriptedUpstream issuer, String... words) {
        assertNotIssued(directory(issuer), words);
    }

    private static String directory(ScriptedUpstream issuer) {
        return "https://localhost:" + issuer.port() + "/dir";
    }

    @Test
    void anAnswerWithoutAnEndDoesntFillTheHeap() {
        GeneratedBody much = GeneratedBody.of(1, 4L << 30);
        try (ScriptedUpstream issuer = ScriptedUpstream.start(
                encrypted(),
                request ->
                        Answer.ok("").header("Content-Type", "application/json").body(much))) {
            assertNotIssued(issuer, ": its answer is longer than 1024 KiB");
        }
    }

    @Test
    void anAnswerThatGoesOnAndOnIsCut() {
        Script slow = Script.script()
                .readRequest()
                .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
                .trickle(" ".repeat(100_000), 1, Duration.ofMillis(20));
        try (ScriptedUpstream issuer = ScriptedUpstream.play(encrypted(), slow)) {
            assertNotIssued(directory(issuer), SHORT, ": its answer didn't end within 3 s");
        }
    }

    @Test
    void whatWasntToBeCompressedIsntUnpacked() {
        try (ScriptedUpstream issuer = ScriptedUpstream.start(
                encrypted(),
                request ->
                        Answer.ok("").header("Content-Type", "application/json").header("Content-Encoding", "gzip"))) {
            assertNotIssued(issuer, ": its answer is compressed");
        }
    }

    @Test
    void whoeverSaysNothingIsLeft() {
        try (ScriptedUpstream issuer =
                ScriptedUpstream.play(encrypted(), Script.script().readRequest().repeat())) {
            assertNotIssued(directory(issuer), SHORT, " can't be reached: no answer within its time");
        }
    }

    @Test
    void whoeverIsntThereOrIsAnybodyIsNamed() {
        try (PortHold nobody = ScriptedUpstream.refusedPort()) {
            assertNotIssued("https://localhost:" + nobody.port() + "/dir", " can't be reached: it takes no connection");
        }
        assertNotIssued("https://nowhere.invalid/dir", " can't be reached: its name can't be resolved");
        UpstreamOptions stranger = UpstreamOptions.defaults()
                .withWrapping(new SecureNode(new Certificates(dir).issued("localhost"), null));
        try (ScriptedUpstream issuer = ScriptedUpstream.start(stranger, request -> Answer.ok("{}"))) {
            assertNotIssued(issuer, " can't be reached: no TLS with it");
        }
        try (ScriptedUpstream plain = ScriptedUpstream.start(request -> Answer.ok("{}"))) {
            assertNotIssued(directory(plain), SHORT, " can't be reached: ");
        }
    }

    @Test
    void whatIsNoAcmeIsSaid() {
        try (ScriptedUpstream issuer = ScriptedUpstream.start(
                encrypted(), request -> Answer.ok("<html>").header("Content-Type", "text/html"))) {
            assertNotIssued(issuer, ": ");
        }
        try (ScriptedUpstream issuer = ScriptedUpstream.start(
                encrypted(), request -> Answer.ok("nothing").header("Content-Type", "application/json"))) {
            assertNotIssued(issuer, ": ");
        }
    }
}
