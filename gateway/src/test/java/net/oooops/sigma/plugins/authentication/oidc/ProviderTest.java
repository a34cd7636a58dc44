package net.oooops.sigma.plugins.authentication.oidc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

/** What is known of a provider goes on in another process. */
class ProviderTest {
    private static final String ISSUER = "https://id.example";
    private static final String DISCOVERED = """
            {"issuer": "https://id.example", "authorization_endpoint": "https://id.example/in",
             "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys", "ü": "€"}
            """;

    private static Provider provider(String issuer, String... servers) {
        Map<String, String> proxyPasses = servers.length == 0 ? Map.of() : Map.of(servers[0], "p");
        Provider.Way way = new Provider.Way(
                issuer,
                Metadata.placeFor(issuer),
                proxyPasses,
                Set.of(Algorithm.RS256),
                Duration.ofHours(1),
                Duration.ofSeconds(1));
        return new Provider(way, new TestContext().counter("failures", "x"));
    }

    private static byte[] left() throws Exception {
        RSAKey key = new RSAKeyGenerator(2048).keyID("k").generate();
        return ("oidc-provider 1\n" + ISSUER + '\n' + ISSUER + "/.well-known/openid-configuration\n"
                        + DISCOVERED.length() + '\n' + DISCOVERED
                        + new JWKSet(key.toPublicJWK()).toString(true))
                .getBytes(UTF_8);
    }

    @Test
    void whatWasLeftIsKnownWhereItCannotBeAsked() throws Exception {
        Provider provider = provider(ISSUER, Url.of(ISSUER).server());
        assertThat(provider.leave()).isEmpty();
        byte[] left = left();
        provider.inherit(left);
        assertThat(provider.leave()).isEqualTo(left);
        Provider.Known known = provider.known(TestExchange.of("GET", "/"))
                .toCompletableFuture()
                .join();
        assertThat(known.metadata().token()).hasToString(ISSUER + "/token");
        assertThat(known.keys().keys()).hasSize(1);
    }

    @Test
    void anotherOneOrAnotherFormIsLeftAlone() throws Exception {
        Provider provider = provider("https://other.example", Url.of(ISSUER).server());
        provider.inherit(left());
        provider.inherit("oidc-provider 2\n".getBytes(UTF_8));
        assertThat(provider.leave()).isEmpty();
    }

    @Test
    void oneThatCannotBeAskedByItsUrlsIsRefused() {
        Provider provider = provider(ISSUER);
        assertThatThrownBy(() -> provider.inherit(left())).isInstanceOf(UnfitException.class);
        assertThat(provider.leave()).isEmpty();
    }
}
