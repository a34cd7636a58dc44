package net.oooops.sigma.plugins.authentication.oidc;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.jwk.RSAKey;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.plugin.PluginMeters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Users log in, and nobody else does. */
class OidcTest {
    private static final String WITH_SECRET = "\"client-secret\": \"p:w d\", ";

    @Test
    void aUserLogsInAndComesBackToWhatWasAskedFor() throws Exception {
        try (OidcFixture all = new OidcFixture(WITH_SECRET)) {
            OidcFixture.Begun login = all.begin("/page/a?x=%201&y=//e");
            assertThat(login.sent())
                    .containsEntry("response_type", "code")
                    .containsEntry("client_id", "shop")
                    .containsEntry("redirect_uri", "https://shop.example.org/oidc/callback")
                    .containsEntry("scope", "openid")
                    .containsEntry("code_challenge_method", "S256");
            assertThat(login.cookie()).startsWith("__Host-sigma-session-login=");
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), Map.of()), "");

            RawResponse back = all.comeBack(login, "c%2B1");
            assertThat(back.status()).as(back.bodyText()).isEqualTo(303);
            assertThat(back.headers().first("Location")).isEqualTo("https://shop.example.org/page/a?x=%201&y=//e");
            assertThat(back.headers().first("Cache-Control")).isEqualTo("no-store");
            assertThat(back.headers().first("Set-Cookie"))
                    .startsWith("__Host-sigma-session=")
                    .endsWith("; Path=/; HttpOnly; SameSite=Lax; Secure");

            ReceivedRequest asked = all.provider.tokenRequests.getFirst();
            Map<String, String> form = OidcFixture.form(asked.bodyText());
            assertThat(form)
                    .containsEntry("grant_type", "authorization_code")
                    .containsEntry("code", "c+1")
                    .containsEntry("redirect_uri", "https://shop.example.org/oidc/callback")
                    .doesNotContainKey("client_secret");
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(form.getOrDefault("code_verifier", "").getBytes(US_ASCII));
            assertThat(Base64.getUrlEncoder().withoutPadding().encodeToString(digest))
                    .isEqualTo(login.sent().get("code_challenge"));
            assertThat(asked.header("Authorization"))
                    .isEqualTo("Basic " + Base64.getEncoder().encodeToString("shop:p%3Aw+d".getBytes(US_ASCII)));
            assertThat(asked.header("Host")).isEqualTo("127.0.0.1:" + all.provider.port());
            assertThat(asked.header("X-Forwarded-Host")).isEqualTo("127.0.0.1:" + all.provider.port());
            assertThat(asked.header("Cookie")).isNull();

            RawResponse page = all.get(
                    "/page",
                    "Cookie: a=1; " + OidcFixture.cookie(back)
                            + "; b=2\r\nX-Consumer-Email: root\r\nX-Consumer-Id: root\r\n");
            assertThat(page.bodyText()).isEqualTo("hello");
            assertThat(page.header("Set-Cookie")).isNull();
            ReceivedRequest request = all.passed.getFirst();
            assertThat(request.headers().values("X-Consumer-Id")).containsExactly("ada");
            assertThat(request.headers().values("X-Consumer-Email")).containsExactly("ada@example.org");
            assertThat(request.headers().values("Cookie")).containsExactly("a=1; b=2");
            assertThat(request.header("Authorization")).isNull();
        }
    }

    /** Secrets go into the body where the provider wants them there; without one there is none, and PKCE is all. */
    @ParameterizedTest
    @CsvSource({"true,s1", "false,"})
    void secretsGoWhereTheyAreWanted(boolean post, String secret) {
        String more = post ? "\"client-secret\": \"s1\", \"client-auth\": \"post\", " : "";
        try (OidcFixture all = new OidcFixture(more)) {
            all.logIn();
            ReceivedRequest asked = all.provider.tokenRequests.getFirst();
            Map<String, String> form = OidcFixture.form(asked.bodyText());
            assertThat(asked.header("Authorization")).isNull();
            assertThat(form).containsEntry("client_id", "shop");
            assertThat(form.get("client_secret")).isEqualTo(secret);
        }
    }

    /** Some clients put the values of cookies into quotation marks (RFC 6265 section 4.1.1). */
    @Test
    void quotationMarksAreNoPartOfACookie() {
        try (OidcFixture all = new OidcFixture("")) {
            OidcFixture.Begun login = all.begin("/page");
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), Map.of()), "");
            OidcFixture.Begun quoted =
                    new OidcFixture.Begun(login.sent(), login.cookie().replace("=", "=\"") + "\"");
            RawResponse back = all.comeBack(quoted, "c");
            assertThat(back.status()).isEqualTo(303);
            String session = OidcFixture.cookie(back).replace("=", "=\"") + "\"";
            assertThat(all.get("/", "Cookie: " + session + "\r\n").status()).isEqualTo(200);
        }
    }

    /** Who is sent to log in, comes back and logs out isn't refused. */
    @Test
    void whatGoesWellIsNoRefusal() {
        try (OidcFixture all = new OidcFixture("")) {
            OidcFixture.Begun login = all.begin("/one");
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), Map.of()), "");
            assertThat(all.comeBack(login, "c").status()).isEqualTo(303);
            assertThat(all.get("/oidc/logout", OidcFixture.PAGE).status()).isEqualTo(303);
            assertThat(refusals(all)).isZero();
            assertThat(all.get("/api", "").status()).isEqualTo(401);
            assertThat(refusals(all)).isEqualTo(1);
        }
    }

    private static long refusals(OidcFixture all) {
        return all.gateway.pluginReadings().stream()
                .filter(reading -> reading.kind() == PluginMeters.Kind.REASON)
                .mapToLong(PluginMeters.Reading::value)
                .sum();
    }

    /** Two tabs log in at once; both come back. */
    @Test
    void severalLoginsOfABrowserGoOnAtOnce() {
        try (OidcFixture all = new OidcFixture("")) {
            OidcFixture.Begun first = all.begin("/one");
            RawResponse sent = all.get("/two", OidcFixture.PAGE + "Cookie: " + first.cookie() + "\r\n");
            OidcFixture.Begun second = all.begun(sent);
            assertThat(second.cookie()).isEqualTo(first.cookie());
            for (OidcFixture.Begun each : List.of(second, first)) {
                all.provider.tokens =
                        form -> all.provider.tokens(form, all.provider.claims(each.nonce(), Map.of()), "");
                assertThat(all.comeBack(each, "c").status()).isEqualTo(303);
            }
        }
    }

    @Test
    void scriptsAndFormsAreToldRatherThanSentToLogIn() {
        try (OidcFixture all = new OidcFixture("")) {
            RawResponse script = all.get("/api", "Accept: application/json\r\n");
            assertThat(script.status()).isEqualTo(401);
            assertThat(script.header("WWW-Authenticate")).isEqualTo("Cookie realm=\"sigma\"");
            assertThat(all.get("/api", "").status()).isEqualTo(401);
            assertThat(all.get("/api", OidcFixture.PAGE + "Sec-Fetch-Mode: cors\r\n")
                            .status())
                    .isEqualTo(401);
            assertThat(all.get("/", "Sec-Fetch-Mode: navigate\r\n").status()).isEqualTo(302);
            assertThat(all.ask("POST", "/form", OidcFixture.PAGE + "Content-Length: 0\r\n")
                            .status())
                    .isEqualTo(401);
            assertThat(all.passed).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"login,302,302,401", "refuse,401,401,401", "pass,200,200,200"})
    void whoHasNoSessionIsTreatedAsWritten(String written, int page, int script, int form) {
        try (OidcFixture all = new OidcFixture("\"unauthenticated\": \"" + written + "\", ")) {
            assertThat(all.get("/", OidcFixture.PAGE).status()).isEqualTo(page);
            assertThat(all.get("/", "X-Consumer-Id: root\r\n").status()).isEqualTo(script);
            assertThat(all.ask("POST", "/", "Content-Length: 0\r\n").status()).isEqualTo(form);
            assertThat(all.passed).noneMatch(each -> each.header("X-Consumer-Id") != null);
        }
    }

    /** What comes back has to be what this browser was sent away with. */
    @Test
    void whatNobodyHasBegunIsNoLogin() {
        try (OidcFixture all = new OidcFixture("")) {
            OidcFixture.Begun mine = all.begin("/page");
            OidcFixture.Begun theirs = all.begin("/page");
            String cookie = "Cookie: " + mine.cookie() + "\r\n";
            String name = mine.cookie().substring(0, mine.cookie().indexOf('='));
            List<String[]> attacks = new ArrayList<>();
            attacks.add(new String[] {"code=c&state=" + theirs.state(), cookie});
            attacks.add(new String[] {"code=c&state=" + mine.state(), ""});
            attacks.add(new String[] {"code=c&state=" + mine.state(), "Cookie: " + name + "=\r\n"});
            attacks.add(new String[] {
                "code=c&state=" + mine.state(), "Cookie: " + mine.cookie() + "; " + theirs.cookie() + "\r\n"
            });
            attacks.add(new String[] {"code=c&state=" + mine.state() + "&state=" + theirs.state(), cookie});
            attacks.add(new String[] {"code=c&code=d&state=" + mine.state(), cookie});
            attacks.add(new String[] {"code=c&state=" + mine.state().substring(1), cookie});
            attacks.add(new String[] {"code=c&state=" + mine.state() + "A", cookie});
            attacks.add(new String[] {"code=c&state=", cookie});
            attacks.add(new String[] {"code=c", cookie});
            attacks.add(new String[] {"code=%zz&state=" + mine.state(), cookie});
            attacks.add(new String[] {"", cookie});
            for (String[] each : attacks) {
                assertThat(all.get("/oidc/callback?" + each[0], each[1]).status())
                        .as(each[0] + " " + each[1])
                        .isEqualTo(400);
            }
            assertThat(all.ask("POST", "/oidc/callback?code=c&state=" + mine.state(), cookie + "Content-Length: 0\r\n")
                            .status())
                    .isEqualTo(400);
            assertThat(all.provider.tokenRequests).isEmpty();
            assertThat(all.passed).isEmpty();
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(mine.nonce(), Map.of()), "");
            assertThat(all.comeBack(mine, "c").status()).isEqualTo(303);
        }
    }

    @Test
    void aLoginThatTheProviderRefusesIsRefused() {
        try (OidcFixture all = new OidcFixture("")) {
            OidcFixture.Begun login = all.begin("/page");
            String cookie = "Cookie: " + login.cookie() + "\r\n";
            String state = "state=" + login.state();
            assertThat(all.get("/oidc/callback?error=access_denied&" + state, cookie)
                            .status())
                    .isEqualTo(403);
            assertThat(all.get("/oidc/callback?" + state, cookie).status()).isEqualTo(403);
            assertThat(all.get("/oidc/callback?code=c&iss=https://evil.example&" + state, cookie)
                            .status())
                    .isEqualTo(403);
            assertThat(all.provider.tokenRequests).isEmpty();
            all.provider.tokens = form -> Answer.of(400).body("{ \"error\": \"invalid_grant\" }");
            assertThat(all.comeBack(login, "c").status()).isEqualTo(403);
        }
    }

    /** An answer that doesn't say whose it is, of a provider that always says so, is another one's (RFC 9207). */
    @Test
    void aProviderThatSaysWhoItIsHasToSayIt() {
        try (OidcFixture all = new OidcFixture("")) {
            all.provider.discovery = text -> text.replace(
                    "\"jwks_uri\"", "\"authorization_response_iss_parameter_supported\": true, \"jwks_uri\"");
            OidcFixture.Begun login = all.begin("/page");
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), Map.of()), "");
            assertThat(all.comeBack(login, "c").status()).isEqualTo(403);
            assertThat(all.comeBack(login, "c&iss=" + all.provider.issuer()).status())
                    .isEqualTo(303);
        }
    }

    /** Each is one thing beside an honest token. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "iss=https://evil.example",
                "iss=",
                "aud=other",
                "aud=",
                "sub=",
                "exp=",
                "iat=",
                "exp=1",
                "iat=99999999999",
                "nbf=99999999999",
                "nonce=other",
                "nonce=",
                "azp=other",
                "at_hash=AAAAAAAAAAAAAAAAAAAAAA"
            })
    void aTokenThatSaysSomethingElseIsNone(String change) {
        String name = change.substring(0, change.indexOf('='));
        String text = change.substring(change.indexOf('=') + 1);
        Object value = text.matches("[0-9]+") ? (Object) Long.valueOf(text) : text;
        try (OidcFixture all = new OidcFixture("")) {
            OidcFixture.Begun login = all.begin("/page");
            Map<String, Object> claims = all.provider.claims(login.nonce(), Map.of(name, value));
            all.provider.tokens = form -> all.provider.tokens(form, claims, "");
            RawResponse back = all.comeBack(login, "c");
            assertThat(back.status()).isEqualTo(502);
            assertThat(back.header("Set-Cookie")).isNull();
        }
    }

    @Test
    void aTokenForSeveralSaysWhomItWasIssuedTo() {
        try (OidcFixture all = new OidcFixture("")) {
            Map<String, Object> several = Map.of("aud", List.of("shop", "other"));
            OidcFixture.Begun login = all.begin("/page");
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), several), "");
            assertThat(all.comeBack(login, "c").status()).isEqualTo(502);
            Map<String, Object> said = Map.of("aud", List.of("shop", "other"), "azp", "shop");
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), said), "");
            assertThat(all.comeBack(login, "c").status()).isEqualTo(303);
        }
    }

    /** Signed by nobody, by somebody else, or with the public key as a secret; and no ID token at all. */
    @ParameterizedTest
    @ValueSource(strings = {"none", "other", "cut", "absent", "garbage"})
    void aTokenThatTheProviderHasNotSignedIsNone(String attack) {
        try (OidcFixture all = new OidcFixture("")) {
            OidcFixture.Begun login = all.begin("/page");
            Map<String, Object> claims = all.provider.claims(login.nonce(), Map.of());
            String honest = all.provider.signed(claims);
            all.provider.signing = ProviderDouble.OTHER_KEY;
            String payload = honest.substring(honest.indexOf('.') + 1, honest.lastIndexOf('.'));
            String none = Base64.getUrlEncoder().withoutPadding().encodeToString("{\"alg\":\"none\"}".getBytes(UTF_8));
            String token = switch (attack) {
                case "none" -> none + "." + payload + ".";
                case "other" -> all.provider.signed(claims);
                case "cut" -> honest.substring(0, honest.length() - 8);
                case "garbage" -> "a.b.c";
                default -> "";
            };
            all.provider.tokens = form -> ProviderDouble.json(
                    "{ \"token_type\": \"Bearer\", \"access_token\": \"a\", \"id_token\": \"" + token + "\" }");
            assertThat(all.comeBack(login, "c").status()).isEqualTo(502);
        }
    }

    /** The provider has other keys than when it was asked first. */
    @Test
    void keysMayChange() {
        try (OidcFixture all = new OidcFixture("")) {
            all.logIn();
            all.provider.signing = ProviderDouble.OTHER_KEY;
            all.provider.published = List.of(ProviderDouble.OTHER_KEY);
            all.logIn();
            assertThat(all.provider.otherRequests).hasSize(4);
        }
    }

    /** Nor may they change under the same name: a signature that doesn't fit is looked at with the keys of now. */
    @Test
    void keysMayChangeUnderTheSameName() throws Exception {
        try (OidcFixture all = new OidcFixture("")) {
            all.logIn();
            all.provider.signing =
                    new RSAKey.Builder(ProviderDouble.OTHER_KEY).keyID("one").build();
            all.provider.published = List.of(all.provider.signing);
            all.logIn();
            assertThat(all.provider.otherRequests).hasSize(4);
        }
    }

    /** What can't stand in a field of a node's is no access token. */
    @Test
    void anAccessTokenHasToBeAFieldsValue() {
        try (OidcFixture all = new OidcFixture("\"pass-access-token\": true, ")) {
            OidcFixture.Begun login = all.begin("/page");
            String token = all.provider.signed(all.provider.claims(login.nonce(), Map.of()));
            all.provider.tokens = form -> ProviderDouble.json(
                    "{ \"token_type\": \"Bearer\", \"access_token\": \"a\\r\\nX: b\", \"id_token\": \"" + token
                            + "\" }");
            assertThat(all.comeBack(login, "c").status()).isEqualTo(502);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"issuer\": \"ISSUER\"|\"issuer\": \"https://other.example\"",
                "\"jwks_uri\": \"ISSUER|\"jwks_uri\": \"https://keys.example",
                "\"token_endpoint\": \"ISSUER|\"token_endpoint\": \"https://tokens.example",
                "ISSUER/token|http://id.example/token",
                "ISSUER/login|javascript:alert",
                "{|[",
                "jwks_uri|no_keys"
            })
    void aProviderThatSaysWhatCantBeIsNotAsked(String change) {
        try (OidcFixture all = new OidcFixture("")) {
            int bar = change.indexOf('|');
            String before = change.substring(0, bar).replace("ISSUER", all.provider.issuer());
            String after = change.substring(bar + 1);
            all.provider.discovery = text -> {
                String changed = text.replace(before, after);
                assertThat(changed).isNotEqualTo(text);
                return changed;
            };
            RawResponse response = all.get("/page", OidcFixture.PAGE);
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.header("Retry-After")).isEqualTo("1");
            assertThat(all.provider.tokenRequests).isEmpty();
        }
    }

    /** Keys that the provider has taken away verify nothing more, also where it has none left: then nobody is sent to log in. */
    @Test
    void aProviderThatHasEmptiedItsSetHasNoKeys() {
        try (OidcFixture all = new OidcFixture("\"provider-lifetime\": \"1s\", ")) {
            OidcFixture.Begun login = all.begin("/page");
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), Map.of()), "");
            all.provider.published = List.of();
            Await.until(
                    "the keys to be gone",
                    () -> all.get("/page", OidcFixture.PAGE).status() == 503);
            assertThat(all.comeBack(login, "c").status()).isEqualTo(503);
            all.provider.published = List.of(ProviderDouble.KEY);
            Await.until(
                    "the keys to be there again",
                    () -> all.get("/page", OidcFixture.PAGE).status() == 302);
        }
    }

    /** A provider whose keys are on another server has a proxy-pass for that. */
    @Test
    void otherServersAreAskedByTheirOwnProxyPasses() {
        String others = "\"other-origins\": [{ \"origin\": \"https://keys.example\", \"proxy-pass-id\": \"id\" }], ";
        try (OidcFixture all = new OidcFixture(others)) {
            all.provider.discovery = text -> text.replace(all.provider.issuer() + "/keys", "https://keys.example/keys");
            all.logIn();
            ReceivedRequest keys = all.provider.otherRequests.getLast();
            assertThat(keys.target()).isEqualTo("/keys");
            assertThat(keys.header("Host")).isEqualTo("keys.example");
        }
    }

    /** Who waits for what another one has asked isn't left alone when that one goes away. */
    @Test
    void whoAsksMayGoAway() throws Exception {
        try (OidcFixture all = new OidcFixture("")) {
            Gate hold = new Gate();
            all.provider.discovery = text -> {
                if (all.provider.otherRequests.size() == 1) {
                    hold.pass();
                }
                return text;
            };
            try (RawClient first = all.gateway.connect();
                    RawClient second = all.gateway.connect()) {
                first.send("GET / HTTP/1.1\r\nHost: a\r\n" + OidcFixture.PAGE + "\r\n");
                Await.until("it to be asked", () -> all.provider.otherRequests.size() == 1);
                second.send("GET / HTTP/1.1\r\nHost: a\r\n" + OidcFixture.PAGE + "\r\n");
                second.expectSilence(Duration.ofMillis(50));
                first.reset();
                assertThat(second.readResponse().status()).isEqualTo(302);
                hold.release();
            }
        }
    }

    /** Somebody who logs in by a link that leads elsewhere comes back here. */
    @ParameterizedTest
    @ValueSource(strings = {"//evil.example/", "/\\evil.example", "/%0d%0aSet-Cookie:%20a=b", "/a?//evil.example"})
    void nobodyIsSentElsewhereAfterwards(String target) {
        try (OidcFixture all = new OidcFixture("")) {
            RawResponse sent = all.get(target, OidcFixture.PAGE);
            if (sent.status() == 400) {
                return;
            }
            OidcFixture.Begun login = all.begun(sent);
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), Map.of()), "");
            RawResponse back = all.comeBack(login, "c");
            assertThat(back.headers().first("Location")).startsWith("https://shop.example.org/");
            assertThat(back.headers().values("Set-Cookie")).hasSize(1);
        }
    }
}
