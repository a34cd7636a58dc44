package net.oooops.sigma.plugins.authentication.jwt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Objects;
import net.oooops.sigma.plugins.authentication.jose.Token;

class TokenFuzzTest {
    /** Whatever a token is, it is read or it isn't; what is read in base64 is written in the same way. */
    @FuzzTest
    void aTokenIsReadOrNot(byte[] bytes) {
        String text = new String(bytes, ISO_8859_1);
        Token.Read read = Token.read(text);
        assertThat(read.token() == null).isNotEqualTo(read.why() == null);
        byte[] decoded = Token.Base64Url.decoded(text);
        if (decoded != null) {
            assertThat(Issuer.base64(decoded)).isEqualTo(text);
        }
        Token token = Objects.requireNonNull(
                Token.read(Issuer.base64("{\"alg\":\"ES256\"}") + "." + Issuer.base64(bytes) + ".AAAA")
                        .token(),
                "a token");
        if (token.claims() != null) {
            assertThat(text.strip()).startsWith("{").endsWith("}");
        }
    }
}
