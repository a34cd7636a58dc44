package net.oooops.sigma.plugins.authentication.jwt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static net.oooops.sigma.plugins.authentication.jwt.Issuer.base64;
import static net.oooops.sigma.plugins.authentication.jwt.Issuer.byHand;
import static net.oooops.sigma.plugins.authentication.jwt.Issuer.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.plugins.authentication.jose.JwkReader;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JwtTest {
    private static final String HEAD = "{\"alg\":\"RS256\",\"kid\":\"rsa-1\"}";
    private static final long NOW = System.currentTimeMillis() / 1000;
    private static final String CLAIMS = claims("");

    private final TestContext context = new TestContext();

    /** Those of a good token, and more or other ones. */
    private static String claims(String more) {
        return "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":" + (NOW + 600) + more + "}";
    }

    private static Map<String, Object> jwk(JWK key) {
        return key.toPublicJWK().toJSONObject();
    }

    private PluginHarness harness(Map<String, ?> more) {
        Map<String, Object> secret = Map.of("secret", Issuer.SECRET.repeat(2), "algorithm", "HS256");
        Map<String, Object> settings = new HashMap<>(Map.of(
                "audience",
                "api",
                "issuer",
                "https://id.example",
                "keys",
                List.of(
                        Map.of("jwk", jwk(Issuer.RSA)),
                        Map.of("jwk", jwk(Issuer.P256)),
                        Map.of("jwk", jwk(Issuer.P384)),
                        Map.of("jwk", jwk(Issuer.P521)),
                        secret)));
        settings.putAll(more);
        return PluginHarness.of(new JwtFactory().create(Settings.of(settings), context));
    }

    private static TestExchange with(String token) {
        return TestExchange.of("GET", "/", "Authorization: Bearer " + token);
    }

    private void assertTaken(String token, Map<String, ?> settings) throws Exception {
        TestExchange exchange = with(token);
        assertThat(harness(settings).request(exchange)).as(token).isSameAs(Outcome.CONTINUE);
        assertThat(exchange.request().lines()).contains("X-Consumer-Id: ada");
    }

    private void assertRefused(String token, String reason, Map<String, ?> settings) throws Exception {
        long before = context.count(reason);
        TestExchange exchange = with(token);
        assertThat(harness(settings).request(exchange)).as(token).isInstanceOf(Outcome.Respond.class);
        assertThat(context.count(reason) - before).as("%s of %s", reason, token).isEqualTo(1);
        assertThat(exchange.response().status()).isEqualTo(401);
        assertThat(exchange.response().lines())
                .contains("WWW-Authenticate: Bearer realm=\"sigma\", error=\"invalid_token\"");
        assertThat(exchange.responseText()).isEqualTo("That token isn't valid here.\n");
        assertThat(exchange.consumer()).isNull();
    }

    private void assertRefused(String token, String reason) throws Exception {
        assertRefused(token, reason, Map.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "HS256"})
    void tokensOfOthersAreVerified(String algorithm) throws Exception {
        assertTaken(token(algorithm, CLAIMS), Map.of());
        String other = token(algorithm, claims(",\"a\":1"));
        String good = token(algorithm, CLAIMS);
        String mixed = other.substring(0, other.lastIndexOf('.')) + good.substring(good.lastIndexOf('.'));
        assertRefused(mixed, "bad-signature");
    }

    @ParameterizedTest
    @CsvSource({"Ed25519, 32, Ed448", "Ed448, 57, Ed25519"})
    void edwardsCurvesAreVerifiedUnderBothNames(String curve, int bytes, String other) throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance(curve).generateKeyPair();
        byte[] encoded = pair.getPublic().getEncoded();
        String x = base64(Arrays.copyOfRange(encoded, encoded.length - bytes, encoded.length));
        Map<String, Object> jwk = Map.of("kty", "OKP", "crv", curve, "x", x);
        Map<String, Object> keys = Map.of("keys", List.of(Map.of("jwk", jwk)));
        for (String name : List.of("EdDSA", curve)) {
            String token = byHand("{\"alg\":\"" + name + "\"}", CLAIMS, curve, pair.getPrivate());
            assertTaken(token, keys);
            assertTaken(token, Map.of("keys", List.of(Map.of("jwk", jwk, "algorithm", "EdDSA"))));
        }
        assertRefused(byHand("{\"alg\":\"" + other + "\"}", CLAIMS), "unfit-algorithm", keys);
        String pem = "-----BEGIN PUBLIC KEY-----\n" + Base64.getMimeEncoder().encodeToString(encoded)
                + "\n-----END PUBLIC KEY-----\n";
        String token = byHand("{\"alg\":\"EdDSA\"}", CLAIMS, curve, pair.getPrivate());
        assertTaken(token, Map.of("keys", List.of(Map.of("pem", pem))));
    }

    @Test
    void noTokenIsAskedForAndPassesWhereItIsOptional() throws Exception {
        TestExchange refused = TestExchange.of("GET", "/");
        harness(Map.of()).request(refused);
        assertThat(refused.response().status()).isEqualTo(401);
        assertThat(refused.response().lines()).contains("WWW-Authenticate: Bearer realm=\"sigma\"");
        TestExchange passes = TestExchange.of("GET", "/", "Authorization: Basic abc");
        assertThat(harness(Map.of("optional", true)).request(passes)).isSameAs(Outcome.CONTINUE);
        assertRefused("wrong", "malformed-token", Map.of("optional", true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "None", "NONE", "nOnE", "", "RS256 ", "rs256", "HS1", "RSA1_5", "dir"})
    void whatIsSignedByNoneIsNot(String algorithm) throws Exception {
        String signed = base64("{\"alg\":\"" + algorithm + "\",\"kid\":\"rsa-1\"}") + "." + base64(CLAIMS);
        assertRefused(signed + ".", "unfit-algorithm");
        assertRefused(signed + ".AAAA", "unfit-algorithm");
        assertRefused(base64("{\"kid\":\"rsa-1\"}") + "." + base64(CLAIMS) + ".AAAA", "unfit-algorithm");
        assertRefused(base64("{\"alg\":[\"RS256\"]}") + "." + base64(CLAIMS) + ".AAAA", "unfit-algorithm");
    }

    /** The public key, in each form in which an attacker has it, is no secret. */
    @Test
    void aPublicKeyIsNoSecret() throws Exception {
        String pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder()
                        .encodeToString(Issuer.RSA.toPublicKey().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
        List<byte[]> secrets = List.of(
                pem.getBytes(UTF_8),
                pem.strip().getBytes(UTF_8),
                Issuer.RSA.toPublicKey().getEncoded(),
                Issuer.RSA.getModulus().decode(),
                Issuer.RSA.toPublicJWK().toJSONString().getBytes(UTF_8));
        Map<String, Object> alone = Map.of("keys", List.of(Map.of("pem", pem, "id", "rsa-1")));
        for (byte[] secret : secrets) {
            assertRefused(hmac(secret, "rsa-1"), "unfit-algorithm", alone);
            assertRefused(hmac(secret, "rsa-1"), "unfit-algorithm");
            assertRefused(hmac(secret, null), "bad-signature");
        }
        assertTaken(token("RS256", CLAIMS), alone);
    }

    private static String hmac(byte[] secret, @Nullable String keyId) throws JOSEException {
        JWSObject token = new JWSObject(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(keyId).build(), new Payload(CLAIMS));
        token.sign(new MACSigner(secret));
        return token.serialize();
    }

    @Test
    void aKeyIsForItsOwnAlgorithmsAlone() throws Exception {
        assertRefused(
                token("RS256", CLAIMS),
                "unfit-algorithm",
                Map.of("algorithms", List.of("PS256", "ES256", "ES384", "ES512", "HS256")));
        Map<String, Object> only = Map.of("keys", List.of(Map.of("jwk", jwk(Issuer.RSA), "algorithm", "RS256")));
        assertTaken(token("RS256", CLAIMS), only);
        assertRefused(token("RS512", CLAIMS), "unfit-algorithm", only);
        assertRefused(token("PS256", CLAIMS), "unfit-algorithm", only);
        assertRefused(byHand("{\"alg\":\"ES256\",\"kid\":\"rsa-1\"}", CLAIMS), "unfit-algorithm");
        assertRefused(byHand("{\"alg\":\"RS256\",\"kid\":\"ec-256\"}", CLAIMS), "unfit-algorithm");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../../../dev/null",
                "/etc/passwd",
                "rsa-2",
                "RSA-1",
                "rsa-1'; --",
                "https://evil.example/k",
                ""
            })
    void aKeyIdIsComparedAndNothingElse(String keyId) throws Exception {
        Map<String, Object> keys = Map.of("keys", List.of(Map.of("jwk", jwk(Issuer.RSA))));
        assertRefused(byHand("{\"alg\":\"RS256\",\"kid\":\"" + keyId + "\"}", CLAIMS), "unknown-key", keys);
    }

    @Test
    void keysThatATokenBringsAlongAreNot() throws Exception {
        String own = Issuer.OTHER_RSA.toPublicJWK().toJSONString();
        for (String place : List.of(
                "\"jwk\":" + own,
                "\"jku\":\"http://127.0.0.1:1/keys\"",
                "\"x5u\":\"http://127.0.0.1:1/c\"",
                "\"x5c\":[\"AAAA\"]")) {
            String head = "{\"alg\":\"RS256\",\"kid\":\"rsa-1\"," + place + "}";
            String forged = byHand(head, CLAIMS, "SHA256withRSA", Issuer.OTHER_RSA.toPrivateKey());
            assertRefused(forged, "bad-signature");
            assertTaken(byHand(head, CLAIMS), Map.of());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"crit\":[\"b64\"],\"b64\":false",
                "\"crit\":[\"b64\"],\"b64\":true",
                "\"b64\":false",
                "\"crit\":[]",
                "\"crit\":null",
                "\"b64\":null",
                "\"enc\":null",
                "\"crit\":[\"exp\"],\"exp\":1",
                "\"cty\":\"JWT\"",
                "\"cty\":\"application/jwt\"",
                "\"enc\":\"A128GCM\"",
                "\"alg\":\"RS256\"",
                "\"typ\":1",
                "\"kid\":1",
                "\"x\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
            })
    void headsThatAskForMoreAreRefused(String more) throws Exception {
        String named = more.contains("kid") ? "" : "\"kid\":\"rsa-1\",";
        assertRefused(byHand("{" + named + "\"alg\":\"RS256\"," + more + "}", CLAIMS), "malformed-token");
    }

    @Test
    void aTokenHasOneFormAlone() throws Exception {
        String good = token("RS256", CLAIMS);
        String[] parts = good.split("\\.", -1);
        char last = good.charAt(good.length() - 1);
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        String sameBits = good.substring(0, good.length() - 1) + alphabet.charAt(alphabet.indexOf(last) + 1);
        assertTaken(good, Map.of());
        for (String other : List.of(
                sameBits,
                good + "=",
                good + "==",
                good + ".",
                good + ".AAAA",
                good + ".A.B",
                "." + good,
                parts[0] + "." + parts[1],
                parts[0] + "." + parts[1] + ".",
                parts[0] + ".." + parts[2],
                "." + parts[1] + "." + parts[2],
                parts[0] + "." + parts[1] + ". " + parts[2],
                parts[0] + " ." + parts[1] + "." + parts[2],
                parts[0] + "=." + parts[1] + "." + parts[2],
                parts[0] + "+." + parts[1] + "." + parts[2],
                parts[0] + "." + parts[1] + "." + parts[2] + "!",
                good + "A",
                "x".repeat(8_193),
                "...",
                ".")) {
            TestExchange exchange = with(other);
            assertThat(harness(Map.of()).request(exchange)).as(other).isInstanceOf(Outcome.Respond.class);
        }
        assertThat(context.count("bad-signature") + context.count("malformed-token"))
                .isEqualTo(20);
        assertRefused(good, "malformed-token", Map.of("token-max", 256));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":\"https://id.example\"}                | missing-claim",
                "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":null}  | missing-claim",
                "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":\"9999999999\"} | malformed-token",
                "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":-1e99} | expired",
                "{\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":9999999999}            | unfit-consumer",
                "{\"sub\":1,\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":9999999999}  | unfit-consumer",
                "{\"sub\":\"\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":9999999999} | unfit-consumer",
                "{\"sub\":\"a\\tb\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":9999999999} | unfit-consumer",
                "{\"sub\":\"a\\r\\nX-Admin: 1\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":9999999999} | unfit-consumer",
                "{\"sub\":\"ada\",\"aud\":\"API\",\"iss\":\"https://id.example\",\"exp\":9999999999} | wrong-audience",
                "{\"sub\":\"ada\",\"aud\":\"api2\",\"iss\":\"https://id.example\",\"exp\":9999999999} | wrong-audience",
                "{\"sub\":\"ada\",\"aud\":[\"x\",\"api/\"],\"iss\":\"https://id.example\",\"exp\":9999999999} | wrong-audience",
                "{\"sub\":\"ada\",\"aud\":[],\"iss\":\"https://id.example\",\"exp\":9999999999} | wrong-audience",
                "{\"sub\":\"ada\",\"aud\":{\"api\":1},\"iss\":\"https://id.example\",\"exp\":9999999999} | wrong-audience",
                "{\"sub\":\"ada\",\"iss\":\"https://id.example\",\"exp\":9999999999}           | wrong-audience",
                "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":\"https://id.example/\",\"exp\":9999999999} | wrong-issuer",
                "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":[\"https://id.example\"],\"exp\":9999999999} | wrong-issuer",
                "{\"sub\":\"ada\",\"aud\":\"api\",\"exp\":9999999999}                          | wrong-issuer",
                "{\"sub\":\"ada\",\"sub\":\"root\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":9999999999} | malformed-token",
                "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":9999999999}x | malformed-token",
                "[]                                                                            | malformed-token",
                "ada                                                                           | malformed-token"
            })
    void claimsAreHeldTo(String claims, String reason) throws Exception {
        assertRefused(byHand(HEAD, claims), reason);
    }

    @Test
    void deepOnesToo() throws Exception {
        assertRefused(byHand(HEAD, claims(",\"a\":" + "[".repeat(2_000) + "]".repeat(2_000))), "malformed-token");
        assertRefused(byHand(HEAD, claims(",\"a\":" + "1".repeat(2_000))), "malformed-token");
    }

    @Test
    void timesAreThoseOfTheClockGiveOrTakeASkew() throws Exception {
        String start = "{\"sub\":\"ada\",\"aud\":[\"x\",\"api\"],\"iss\":\"https://id.example\",\"exp\":";
        assertTaken(byHand(HEAD, start + (NOW - 30) + "}"), Map.of("clock-skew", "10m"));
        assertRefused(byHand(HEAD, start + (NOW - 61) + "}"), "expired");
        assertRefused(byHand(HEAD, start + (NOW - 30) + "}"), "expired", Map.of("clock-skew", "1s"));
        assertTaken(byHand(HEAD, start + "1e300}"), Map.of());
        assertTaken(byHand(HEAD, start + (NOW + 600) + ".5,\"nbf\":" + (NOW + 30) + "}"), Map.of());
        assertRefused(byHand(HEAD, claims(",\"nbf\":" + (NOW + 1_200))), "not-yet-valid");
        assertRefused(byHand(HEAD, claims(",\"iat\":" + (NOW + 1_200))), "not-yet-valid");
        assertRefused(byHand(HEAD, claims(",\"iat\":\"1\"")), "malformed-token");
        String endless = "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":\"https://id.example\"}";
        assertTaken(byHand(HEAD, endless), Map.of("expiration-required", false));
    }

    /** Beyond what a number can be is no time, and not for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"1e400", "1e999999999", "-1e400", "1E+309"})
    void endlessTimesAreNone(String number) throws Exception {
        for (String name : List.of("exp", "nbf", "iat", "other")) {
            String good = claims(",\"" + name + "\":" + number);
            String claims = name.equals("exp") ? good.replaceFirst("\"exp\":\\d+,", "") : good;
            assertRefused(byHand(HEAD, claims), "malformed-token");
        }
    }

    @Test
    void whatIsRememberedExpiresToo() throws Exception {
        PluginHarness harness = harness(Map.of("clock-skew", "1ms"));
        String token = byHand(
                HEAD,
                "{\"sub\":\"ada\",\"aud\":\"api\",\"iss\":\"https://id.example\",\"exp\":"
                        + (System.currentTimeMillis() + 700) / 1000.0 + "}");
        for (int i = 0; i < 2; i++) {
            assertThat(harness.request(with(token))).isSameAs(Outcome.CONTINUE);
        }
        Await.until("it has expired", () -> refuses(harness, token));
        assertThat(context.count("expired")).isEqualTo(1);
    }

    private static boolean refuses(PluginHarness harness, String token) {
        try {
            return harness.request(with(token)) instanceof Outcome.Respond;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void typesAreToldApart() throws Exception {
        for (String type : List.of("JWT", "jwt", "at+jwt", "application/at+JWT")) {
            assertTaken(byHand("{\"alg\":\"RS256\",\"typ\":\"" + type + "\"}", CLAIMS), Map.of());
        }
        assertRefused(byHand("{\"alg\":\"RS256\",\"typ\":\"logout+jwt\"}", CLAIMS), "unfit-type");
        Map<String, Object> access = Map.of("types", List.of("at+jwt"));
        assertTaken(byHand("{\"alg\":\"RS256\",\"typ\":\"application/at+jwt\"}", CLAIMS), access);
        assertRefused(byHand("{\"alg\":\"RS256\",\"typ\":\"JWT\"}", CLAIMS), "unfit-type", access);
        assertRefused(byHand(HEAD, CLAIMS), "unfit-type", access);
    }

    @Test
    void claimsBecomeFieldsWhereTheyFit() throws Exception {
        Map<String, String> fields = new HashMap<>();
        for (String each :
                List.of("email", "roles", "age", "admin", "name", "object", "commas", "breaks", "gone", "long")) {
            fields.put("X-Consumer-" + each, each);
        }
        String claims =
                claims(",\"email\":\"a@b.example\",\"roles\":[\"x\",\"y\"],\"age\":7,\"admin\":false,\"name\":\"艾达\""
                        + ",\"object\":{\"a\":1},\"commas\":[\"a,b\"],\"breaks\":\"a\\nb\",\"long\":\""
                        + "x".repeat(1_025) + "\"");
        TestExchange exchange = TestExchange.of("GET", "/", "Authorization: Bearer " + byHand(HEAD, claims));
        assertThat(harness(Map.of("claims", fields, "hide-credentials", true)).request(exchange))
                .isSameAs(Outcome.CONTINUE);
        assertThat(exchange.request().lines())
                .containsExactlyInAnyOrder(
                        "X-Consumer-Id: ada",
                        "X-Consumer-email: a@b.example",
                        "X-Consumer-roles: x,y",
                        "X-Consumer-age: 7",
                        "X-Consumer-admin: false");
    }

    @Test
    void aFileOfKeysIsFollowed(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("jwks.json"), new JWKSet(Issuer.RSA.toPublicJWK()).toString(true));
        PluginHarness harness = harness(Map.of("keys", List.of(), "jwks-file", file.toString()));
        try (Plugin plugin = harness.plugin()) {
            assertThat(plugin.needs().request()).isTrue();
            String token = token("RS256", CLAIMS);
            assertThat(harness.request(with(token))).isSameAs(Outcome.CONTINUE);
            Path next = Files.writeString(folder.resolve("next"), new JWKSet(Issuer.P256.toPublicJWK()).toString(true));
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
            context.run("follow-file");
            assertThat(refuses(harness, token))
                    .as("a key that is gone verifies nothing, remembered or not")
                    .isTrue();
            assertThat(harness.request(with(token("ES256", CLAIMS)))).isSameAs(Outcome.CONTINUE);
        }
    }

    @Test
    void ofASetOnlyPublicKeysForSignaturesAreTaken() {
        String secret = "{\"kty\":\"oct\",\"k\":\"" + base64("x".repeat(32)) + "\",\"alg\":\"HS256\"}";
        String forEncryption =
                "{\"use\":\"enc\"," + Issuer.RSA.toPublicJWK().toJSONString().substring(1);
        String offTheCurve = "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AQ\",\"y\":\"AQ\"}";
        Set<Algorithm> all = EnumSet.allOf(Algorithm.class);
        for (String key : List.of(secret, forEncryption, offTheCurve, "{}", "1")) {
            JwkReader.Found found = JwkReader.set("{\"keys\":[" + key + "]}", all);
            assertThat(found.isEmpty()).isTrue();
            assertThat(found.leftOut()).hasSize(1);
        }
        String good = Issuer.P256.toPublicJWK().toJSONString();
        assertThat(JwkReader.set("{\"keys\":[" + secret + "," + offTheCurve + "," + good + "]}", all)
                        .usable()
                        .keys())
                .singleElement()
                .satisfies(key -> assertThat(key.algorithms()).containsExactly(Algorithm.ES256));
    }

    @Test
    void problemsNameTheirPlaceAndShowNoKey() {
        Map<String, String> shortSecret = Map.of("secret", "only thirty-one bytes are here.", "algorithm", "HS256");
        assertProblem(Map.of("keys", List.of(shortSecret)), "/keys/0/secret", "at least 32 bytes");
        Map<String, String> asRsa = Map.of("secret", Issuer.SECRET, "algorithm", "RS256");
        assertProblem(Map.of("keys", List.of(asRsa)), "/keys/0/algorithm", "HS256, HS384 or HS512");
        assertProblem(
                Map.of("keys", List.of(Map.of("jwk", jwk(Issuer.RSA), "algorithm", "HS256"))),
                "/keys/0/algorithm",
                "for that key");
        assertProblem(Map.of("keys", List.of(Map.of("jwk", Issuer.RSA.toJSONObject()))), "/keys/0/jwk", "a public key");
        assertProblem(Map.of("keys", List.of(Map.of("pem", "-----BEGIN PRIVATE KEY-----"))), "/keys/0/pem", "public");
        assertProblem(
                Map.of("keys", List.of(Map.of("jwk", jwk(Issuer.RSA))), "algorithms", List.of("ES256")),
                "/keys/0",
                "allowed");
        assertProblem(Map.of("keys", List.of()), "/keys", "a key, a file");
        for (String url :
                List.of("http://id.example/k", "file:///etc/k", "https://u@id.example/", "https:///k", "a b")) {
            assertProblem(Map.of("jwks-url", url), "/jwks-url", "a URL of https");
        }
        assertProblem(Map.of("jwks-file", "/nowhere"), "/jwks-file", "a file; this one is not there");
        assertProblem(Map.of("clock-skew", "11m"), "/clock-skew", "10m at most");
        assertProblem(Map.of("claims", Map.of("X-Email", "email")), "/claims/X-Email", "X-Consumer-");
    }

    private void assertProblem(Map<String, ?> settings, String pointer, String message) {
        assertThatThrownBy(() -> harness(settings))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo(pointer))
                .hasMessageContaining(message)
                .hasMessageNotContaining("thirty");
    }
}
