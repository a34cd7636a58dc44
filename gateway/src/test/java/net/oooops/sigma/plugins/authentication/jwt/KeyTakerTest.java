package net.oooops.sigma.plugins.authentication.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.jwk.JWKSet;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.plugins.authentication.jose.KeySet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log of the process")
class KeyTakerTest {
    private static final String KEYS = new JWKSet(Issuer.P256.toPublicJWK()).toString(true);
    private static final String NONE = "{\"keys\":[]}";

    private final List<KeySet> taken = new CopyOnWriteArrayList<>();

    private KeyTaker taker(boolean needsOne) {
        return new KeyTaker("keys", new KeySet(List.of()), EnumSet.of(Algorithm.ES256), needsOne, taken::add);
    }

    @Test
    void aSetWithoutUsableKeysIsTakenAndTold() {
        try (LoggedLines log = new LoggedLines(KeyTaker.class)) {
            KeyTaker taker = taker(true);
            taker.accept(KEYS);
            taker.accept(NONE);
            taker.accept("{\"keys\":[{\"kty\":\"AKP\"},{\"kty\":\"oct\"},{\"kty\":\"EC\",\"use\":\"enc\"}]}");
            assertThat(taken).extracting(set -> set.keys().size()).containsExactly(1, 0, 0);
            assertThat(log.lines())
                    .containsExactly(
                            "WARN keys: no usable key for signatures by [ES256] (it is empty)",
                            "WARN keys: no usable key for signatures by [ES256] (3 left out, expected: kty of RSA, EC or OKP; use of sig)");
        }
    }

    @Test
    void keysThatAreLeftOutAreTold() {
        try (LoggedLines log = new LoggedLines(KeyTaker.class)) {
            taker(true).accept("{\"keys\":[{\"kty\":\"oct\"}," + Issuer.P256.toPublicJWK() + "]}");
            assertThat(log.lines())
                    .containsExactly(
                            "INFO keys: not all keys can be used (1 left out, expected: kty of RSA, EC or OKP)");
        }
    }

    @Test
    void theFirstSetOfAFileHasToHaveOne() {
        KeyTaker taker = taker(true);
        assertThatThrownBy(() -> taker.accept(NONE))
                .isInstanceOfSatisfying(
                        UnfitException.class, e -> assertThat(e.expected()).startsWith("at least one public key"));
        assertThat(taken).isEmpty();
        taker.accept(KEYS);
        taker.accept(NONE);
        assertThat(taken).hasSize(2);
    }

    @Test
    void whatIsNoSetLeavesTheKeysThatAreThere() {
        KeyTaker taker = taker(false);
        for (String text : List.of("", "{}", "[]", "{\"keys\":null}", "{\"keys\":{}}", KEYS.substring(1))) {
            assertThatThrownBy(() -> taker.accept(text)).isInstanceOf(UnfitException.class);
        }
        assertThat(taken).isEmpty();
    }

    /** Who has keys of its own can do without any of before, who has none can't. */
    @Test
    void ofBeforeOneHasToBeLeftToVerifyWith() {
        String other = new JWKSet(Issuer.RSA.toPublicJWK()).toString(true);
        assertThatThrownBy(() -> taker(false).acceptOfBefore(other)).isInstanceOf(UnfitException.class);
        assertThat(taken).isEmpty();
        taker(false).acceptOfBefore(KEYS);
        KeySet own = taken.getFirst();
        new KeyTaker("keys", own, EnumSet.of(Algorithm.ES256), false, taken::add).acceptOfBefore(other);
        assertThat(taken).extracting(set -> set.keys().size()).containsExactly(1, 1);
    }
}
