package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import net.oooops.sigma.LoggedLines;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Isolated("the log of the process")
class UnreachableProviderTest {
    /** What nobody could end isn't begun, and the log says what sigma.json lacks. */
    @ParameterizedTest
    @CsvSource({"/token, token_endpoint", "/keys, jwks_uri"})
    void theLogSaysWhereNoProxyPassLeads(String path, String name) {
        try (OidcFixture all = new OidcFixture("");
                LoggedLines log = new LoggedLines(Provider.class)) {
            all.provider.discovery = text -> text.replace(all.provider.issuer() + path, "https://other.example" + path);
            assertThat(all.get("/page", OidcFixture.PAGE).status()).isEqualTo(503);
            assertThat(log.lines())
                    .containsExactly("WARN " + all.provider.issuer()
                            + ": can't be used (expected: a proxy-pass for https://other.example in \"other-origins\", where its \""
                            + name + "\" is)");
        }
    }
}
