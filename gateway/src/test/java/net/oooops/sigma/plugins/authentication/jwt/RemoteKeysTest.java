package net.oooops.sigma.plugins.authentication.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that are fetched. */
class RemoteKeysTest {
    private static final String RSA = Issuer.token("RS256", "{\"sub\":\"ada\",\"exp\":9999999999}");
    private static final String P256 = Issuer.token("ES256", "{\"sub\":\"ada\",\"exp\":9999999999}");

    private final TestContext context = new TestContext();

    private static String keys(JWK... keys) {
        return new JWKSet(Arrays.stream(keys).map(JWK::toPublicJWK).toList()).toString(true);
    }

    private Plugin plugin(KeyServer server, Map<String, ?> more) throws Exception {
        Map<String, Object> settings = new HashMap<>(Map.of("audience", List.of(), "jwks-url", server.url()));
        settings.putAll(more);
        return new JwtFactory().create(Settings.of(settings), context);
    }

    private static Outcome request(Plugin plugin, String token) throws Exception {
        return PluginHarness.of(plugin).request(TestExchange.of("GET", "/", "Authorization: Bearer " + token));
    }

    private static boolean takes(Plugin plugin, String token) {
        try {
            return request(plugin, token) == Outcome.CONTINUE;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static int status(Outcome outcome) {
        return outcome instanceof Outcome.Respond respond ? respond.response().status() : 0;
    }

    @Test
    void requestsWaitForTheFirstKeys() throws Exception {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA)).waitsFor(mayAnswer);
                Plugin plugin = plugin(server, Map.of())) {
            plugin.start();
            Outcome waits = plugin.onRequest(TestExchange.of("GET", "/", "Authorization: Bearer " + RSA));
            assertThat(waits).isInstanceOf(Outcome.Suspend.class);
            mayAnswer.countDown();
            assertThat(request(plugin, RSA)).isSameAs(Outcome.CONTINUE);
            assertThat(server.asked).hasValue(1);
        }
    }

    /** Tokens that were verified are forgotten with the keys: an issuer may write the same ones otherwise each time. */
    @Test
    void theSameKeysInAnotherOrderAreNoOthers() {
        List<String> taken = new ArrayList<>();
        Duration second = Duration.ofSeconds(1);
        RemoteKeys keys = new RemoteKeys(
                new RemoteKeys.Wanted(URI.create("https://id.example/keys"), null, second, second, second),
                taken::add,
                context.counter("failures", "Test."));
        String both = keys(Issuer.RSA, Issuer.P256);
        assertThat(keys.take(both)).isTrue();
        assertThat(keys.take(keys(Issuer.P256, Issuer.RSA))).isFalse();
        assertThat(keys.take(both.replaceAll("\\s", ""))).isFalse();
        assertThat(keys.take(keys(Issuer.RSA))).isTrue();
        assertThat(keys.take(both)).isTrue();
        assertThat(keys.take(both.replaceAll("\"kid\":\\s*\"", "$0another-"))).isTrue();
        assertThat(keys.take("none")).isTrue();
        assertThat(keys.take("none")).isFalse();
        assertThat(taken).hasSize(5);
    }

    @Test
    void anUnknownKeyHasThemFetched() throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                Plugin plugin = plugin(server, Map.of("jwks-pause", "1s"))) {
            plugin.start();
            assertThat(takes(plugin, RSA)).isTrue();
            server.answers(200, keys(Issuer.RSA, Issuer.P256));
            Await.until("the new key is there", () -> takes(plugin, P256));
            assertThat(server.asked).hasValue(2);
        }
    }

    /** Also where a key without a name would be tried for whatever comes. */
    @Test
    void aKeyWithoutANameStandsForNoneThatATokenNames() throws Exception {
        RSAKey nameless = new RSAKey.Builder(Issuer.OTHER_RSA).keyID(null).build();
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.P256, nameless));
                Plugin plugin = plugin(server, Map.of("jwks-pause", "1s"))) {
            plugin.start();
            assertThat(takes(plugin, P256)).isTrue();
            String named = Issuer.byHand(
                    "{\"alg\":\"RS256\",\"kid\":\"any\"}",
                    "{\"sub\":\"ada\",\"exp\":9999999999}",
                    "SHA256withRSA",
                    Issuer.OTHER_RSA.toPrivateKey());
            assertThat(takes(plugin, named)).isTrue();
            server.answers(200, keys(Issuer.P256, Issuer.RSA, nameless));
            Await.until("the new key is there", () -> takes(plugin, RSA));
            assertThat(server.asked).hasValue(2);
        }
    }

    @Test
    void manyUnknownKeysHaveThemFetchedNoMoreOften() throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                Plugin plugin = plugin(server, Map.of("jwks-pause", "10m"))) {
            plugin.start();
            assertThat(takes(plugin, RSA)).isTrue();
            for (int i = 0; i < 100; i++) {
                assertThat(status(request(plugin, P256))).isEqualTo(401);
            }
            assertThat(server.asked).hasValue(3);
        }
    }

    /** Anybody can write a token that names a key which isn't there. */
    @Test
    void aTokenOfNobodysKeepsNoNewKeyAway() throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                Plugin plugin = plugin(server, Map.of("jwks-pause", "10m"))) {
            plugin.start();
            assertThat(takes(plugin, RSA)).isTrue();
            String nobodys = Issuer.byHand(
                    "{\"alg\":\"RS256\",\"kid\":\"evil\"}",
                    "{\"sub\":\"eve\",\"exp\":9999999999}",
                    "SHA256withRSA",
                    Issuer.OTHER_RSA.toPrivateKey());
            assertThat(status(request(plugin, nobodys))).isEqualTo(401);
            server.answers(200, keys(Issuer.RSA, Issuer.P256));
            assertThat(takes(plugin, P256)).isTrue();
        }
    }

    @Test
    void theFirstKeysAreThereSoonAfterTheServerIs() throws Exception {
        try (KeyServer server = KeyServer.plain().answers(500, "");
                Plugin plugin = plugin(server, Map.of("jwks-pause", "10m"))) {
            plugin.start();
            assertThat(status(request(plugin, RSA))).isEqualTo(503);
            server.answers(200, keys(Issuer.RSA));
            Await.until("the keys are there", () -> takes(plugin, RSA));
        }
    }

    @Test
    void theLastOnesStayWhereNoneCanBeFetched() throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                Plugin plugin = plugin(server, Map.of("jwks-pause", "1s", "jwks-lifetime", "1s"))) {
            plugin.start();
            assertThat(takes(plugin, RSA)).isTrue();
            server.answers(500, "");
            Await.until("it has failed", () -> context.count("key_fetch_failures") > 0);
            assertThat(takes(plugin, RSA)).isTrue();
            server.answers(200, "{\"keys\":{}}");
            int before = server.asked.get();
            Await.until("it has failed again", () -> server.asked.get() > before + 1);
            assertThat(takes(plugin, RSA)).isTrue();
            server.answers(200, keys(Issuer.P256));
            Await.until("a key that was taken away is gone", () -> !takes(plugin, RSA));
        }
    }

    /** A set is an answer, whatever is in it: the last key can be taken away, too, and no token is by any then. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"keys\":[]}", "{\"keys\":[{\"kty\":\"AKP\",\"alg\":\"ML-DSA-44\",\"pub\":\"AA\"}, 1]}"})
    void anEmptiedSetTakesAllKeysAway(String emptied) throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                Plugin plugin = plugin(server, Map.of("jwks-pause", "1s", "jwks-lifetime", "1s"))) {
            plugin.start();
            assertThat(takes(plugin, RSA)).isTrue();
            server.answers(200, emptied);
            Await.until("the key is gone", () -> !takes(plugin, RSA));
            assertThat(status(request(plugin, RSA))).isEqualTo(401);
            assertThat(context.count("unknown-key")).isPositive();
            assertThat(context.count("key_fetch_failures")).isZero();
            server.answers(200, keys(Issuer.RSA));
            Await.until("the key is there again", () -> takes(plugin, RSA));
        }
    }

    @ParameterizedTest
    @CsvSource({"500, ''", "200, no JSON", "200, '{\"keys\":null}'", "204, ''", "404, x"})
    void withoutAnyRequestsAreAnswered503(int status, String body) throws Exception {
        try (KeyServer server = KeyServer.plain().answers(status, body);
                Plugin plugin = plugin(server, Map.of())) {
            plugin.start();
            assertThat(status(request(plugin, RSA))).isEqualTo(503);
            assertThat(status(request(plugin, RSA))).isEqualTo(503);
            // The second time is a second later.
            assertThat(server.asked).hasValueBetween(1, 2);
            assertThat(context.count("key_fetch_failures")).isBetween(1L, 2L);
            assertThat(context.count("keys-unavailable")).isEqualTo(2);
        }
    }

    @Test
    void theyComeNeitherLateNorLargeNorFromElsewhere() throws Exception {
        try (KeyServer elsewhere = KeyServer.plain().answers(200, keys(Issuer.RSA));
                KeyServer redirects = KeyServer.plain().redirects(elsewhere.url());
                KeyServer large = KeyServer.plain().answers(200, keys(Issuer.RSA) + " ".repeat(1 << 20));
                KeyServer late = KeyServer.plain().waitsFor(new CountDownLatch(1))) {
            for (KeyServer each : List.of(redirects, large, late)) {
                try (Plugin plugin = plugin(each, Map.of("jwks-timeout", "1s"))) {
                    plugin.start();
                    assertThat(status(request(plugin, RSA))).isEqualTo(503);
                    assertThat(each.asked).hasValue(1);
                }
            }
            assertThat(elsewhere.asked).hasValue(0);
        }
    }

    @Test
    void theServerHasToBeTrusted(@TempDir Path folder) throws Exception {
        Path ca = folder.resolve("ca.pem");
        try (KeyServer server = KeyServer.encrypted(ca).answers(200, keys(Issuer.RSA));
                Plugin trusts = plugin(server, Map.of("jwks-ca", ca.toString()));
                Plugin doesNot = plugin(server, Map.of())) {
            trusts.start();
            assertThat(takes(trusts, RSA)).isTrue();
            doesNot.start();
            assertThat(status(request(doesNot, RSA))).isEqualTo(503);
        }
    }

    @Test
    void aPluginThatTakesThePlaceTakesTheKeysOver() throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                Plugin before = plugin(server, Map.of());
                Plugin after = plugin(server, Map.of("consumer-claim", "sub", "jwks-pause", "2s"))) {
            before.start();
            assertThat(takes(before, RSA)).isTrue();
            server.answers(500, "");
            after.takeOver(before);
            after.start();
            assertThat(takes(after, RSA)).isTrue();
        }
    }

    @Test
    void oneInAnotherProcessGoesOnWithTheKeys() throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                Plugin before = plugin(server, Map.of());
                Plugin after = plugin(server, Map.of("jwks-pause", "10m"));
                Plugin later = plugin(server, Map.of("consumer-claim", "sub"))) {
            before.start();
            assertThat(takes(before, RSA)).isTrue();
            server.answers(500, "");
            after.inherit(before.leave());
            after.start();
            assertThat(takes(after, RSA)).isTrue();
            later.inherit(after.leave());
            later.start();
            assertThat(takes(later, RSA)).isTrue();
        }
    }

    @Test
    void keysOfAnotherSourceOrFormAreLeftAlone() throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                KeyServer other = KeyServer.plain().answers(500, "");
                Plugin before = plugin(server, Map.of());
                Plugin after = plugin(other, Map.of())) {
            assertThat(before.leave()).isEmpty();
            before.start();
            assertThat(takes(before, RSA)).isTrue();
            after.inherit(before.leave());
            after.inherit("jwks 2\n".getBytes(StandardCharsets.UTF_8));
            after.inherit(new byte[] {(byte) 0xff});
            after.start();
            assertThat(status(request(after, RSA))).isEqualTo(503);
        }
    }

    /** Keys of before for other algorithms are as none: one try that fails doesn't keep the others away for the whole pause. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keysForOtherAlgorithmsAreAsNone(boolean isReload) throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                Plugin before = plugin(server, Map.of("algorithms", List.of("RS256"), "jwks-pause", "10m"));
                Plugin after = plugin(server, Map.of("algorithms", List.of("ES256"), "jwks-pause", "10m"))) {
            before.start();
            assertThat(takes(before, RSA)).isTrue();
            server.answers(500, "");
            if (isReload) {
                after.takeOver(before);
            } else {
                after.inherit(before.leave());
            }
            after.start();
            Await.until("it is asked at once", () -> server.asked.get() == 2);
            server.answers(200, keys(Issuer.P256));
            Await.until("it is asked again", () -> takes(after, P256));
        }
    }

    /** The pause after a failure is of those who have keys. */
    @Test
    void whoHasNoneFetchesAtOnceThoughAnotherHasFailedJustNow() throws Exception {
        try (KeyServer server = KeyServer.plain().answers(200, keys(Issuer.RSA));
                Plugin before = plugin(server, Map.of("algorithms", List.of("RS256"), "jwks-pause", "10m"));
                Plugin after = plugin(server, Map.of("algorithms", List.of("ES256"), "jwks-pause", "10m"))) {
            before.start();
            assertThat(takes(before, RSA)).isTrue();
            server.answers(500, "");
            assertThat(takes(before, P256)).isFalse();
            Await.until("a key that isn't known is asked for", () -> server.asked.get() == 2);
            server.answers(200, keys(Issuer.P256));
            after.takeOver(before);
            after.start();
            Await.until("it has its own", () -> takes(after, P256));
        }
    }
}
