package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.SelfSigned;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What issuers are shown, while they are expected. */
class PendingChallengesTest {
    private static final String PAGE = "/.well-known/acme-challenge/tok-en_1";
    private static final String HOST = "a.example";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private final PendingChallenges challenges = new PendingChallenges();
    private final PluginHarness pages = PluginHarness.of(challenges.pagesPlugin());

    @AfterEach
    void end() {
        challenges.close();
    }

    private String answer(String path, String host) throws Exception {
        TestExchange exchange = TestExchange.of("GET", path, "Host: " + host);
        return pages.request(exchange) == Outcome.CONTINUE
                ? "goes on"
                : exchange.response().status() + " " + exchange.responseText();
    }

    @ParameterizedTest
    @CsvSource({
        PAGE + ", a.example, 200 content",
        PAGE + ", A.Example:80, 200 content",
        PAGE + ", b.example, goes on",
        PAGE + "2, a.example, goes on",
        "/.well-known/acme-challenge/, a.example, goes on",
        "/tok-en_1, a.example, goes on"
    })
    void aPageIsForItsTokenAndItsHost(String path, String host, String expected) throws Exception {
        try (PendingChallenges.Pending _ = challenges.page("tok-en_1", HOST, "content")) {
            assertThat(answer(path, host)).isEqualTo(expected);
        }
    }

    @Test
    void aPageIsThereWhileItIsPendingOnly() throws Exception {
        assertThat(answer(PAGE, HOST)).isEqualTo("goes on");
        PendingChallenges.Pending first = challenges.page("tok-en_1", HOST, "content");
        PendingChallenges.Pending other = challenges.page("other", HOST, "more");
        other.close();
        assertThat(answer(PAGE, HOST)).isEqualTo("200 content");
        first.close();
        assertThat(answer(PAGE, HOST)).isEqualTo("goes on");
    }

    private boolean isShown(SecureClient client, String host) {
        ByteBuf hello = Unpooled.wrappedBuffer(client.hello(host));
        return challenges.certificateFor(hello) != null;
    }

    @Test
    void aCertificateIsForWhoeverOffersNothingElseAndAsksForThatHost() {
        X509Bundle authority = new Certificates(dir).authority();
        SecureClient issuer = new SecureClient(authority, null).speaking("acme-tls/1");
        assertThat(isShown(issuer, HOST)).isFalse();
        KeyedCertificate proof = SelfSigned.forValidation(Instant.now(), HOST, new byte[32]);
        try (PendingChallenges.Pending _ = challenges.certificate(HOST, proof)) {
            assertThat(isShown(issuer, HOST)).isTrue();
            assertThat(isShown(issuer, "b.example")).isFalse();
            assertThat(isShown(new SecureClient(authority, null).speaking("acme-tls/1", "http/1.1"), HOST))
                    .isFalse();
            assertThat(isShown(new SecureClient(authority, null).speaking("http/1.1"), HOST))
                    .isFalse();
            assertThat(isShown(new SecureClient(authority, null), HOST)).isFalse();
            assertThat(challenges.certificateFor(Unpooled.wrappedBuffer(new byte[] {22, 3, 1, 0, 1, 1})))
                    .isNull();
        }
        assertThat(isShown(issuer, HOST)).isFalse();
    }

    /** RFC 8737 section 3: one name, one digest that whoever doesn't know must not pass over. */
    @Test
    void theProofIsWhatTheStandardAsksFor() throws Exception {
        byte[] digest = new byte[32];
        digest[31] = 7;
        KeyedCertificate proof = SelfSigned.forValidation(Instant.now(), HOST, digest);
        assertThat(proof.hosts()).containsExactly(HOST);
        assertThat(proof.certificate().getCriticalExtensionOIDs()).contains("1.3.6.1.5.5.7.1.31");
        byte[] extension = Objects.requireNonNull(proof.certificate().getExtensionValue("1.3.6.1.5.5.7.1.31"));
        assertThat(extension).startsWith(4, 34, 4, 32).endsWith(0, 7).hasSize(36);
    }
}
