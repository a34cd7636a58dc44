package net.oooops.sigma.plugins.authentication.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.plugins.authentication.jose.JwkReader;
import net.oooops.sigma.plugins.authentication.jose.KeySet;
import net.oooops.sigma.plugins.authentication.jose.KeySet.Verdict;
import net.oooops.sigma.plugins.authentication.jose.Token;
import org.junit.jupiter.api.Test;

/** As many keys as there may be: each verifies what is signed with it. */
class ManyKeysTest {
    private static final String CLAIMS = "{\"sub\":\"ada\"}";

    private static Verdict verdict(KeySet keys, String text) {
        return keys.verify(Objects.requireNonNull(Token.read(text).token()));
    }

    @Test
    void allAreTriedForATokenThatNamesNone() throws Exception {
        List<ECKey> own = new ArrayList<>();
        for (int i = 0; i < KeySet.COUNT_MAX - 1; i++) {
            own.add(new ECKeyGenerator(Curve.P_256).generate());
        }
        List<JWK> all = new ArrayList<>(own.stream().map(JWK::toPublicJWK).toList());
        all.add(Issuer.P256.toPublicJWK());
        KeySet keys = JwkReader.set(new JWKSet(all).toString(true), EnumSet.allOf(Algorithm.class))
                .usable();
        assertThat(keys.keys()).hasSize(KeySet.COUNT_MAX);
        assertThat(verdict(keys, Issuer.token(Issuer.P256, null, CLAIMS))).isEqualTo(Verdict.VERIFIED);
        assertThat(verdict(keys, Issuer.token(Issuer.P256, "ec-256", CLAIMS))).isEqualTo(Verdict.VERIFIED);
        assertThat(verdict(keys, Issuer.token(own.getLast(), null, CLAIMS))).isEqualTo(Verdict.VERIFIED);
        assertThat(verdict(keys, Issuer.token(own.getLast(), "any", CLAIMS))).isEqualTo(Verdict.VERIFIED);

        ECKey strange = new ECKeyGenerator(Curve.P_256).generate();
        assertThat(verdict(keys, Issuer.token(strange, null, CLAIMS))).isEqualTo(Verdict.BAD_SIGNATURE);
        assertThat(verdict(keys, Issuer.token(strange, "ec-256", CLAIMS))).isEqualTo(Verdict.BAD_SIGNATURE);
        assertThat(verdict(keys, Issuer.token(strange, "any", CLAIMS))).isEqualTo(Verdict.UNKNOWN_KEY);
    }
}
