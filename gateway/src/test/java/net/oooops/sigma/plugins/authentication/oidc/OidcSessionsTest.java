package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Users stay logged in, and log out. */
class OidcSessionsTest {
    /** A second, of which a tenth is taken off. */
    private static final String SHORT = ", \"refresh_token\": \"r1\", \"expires_in\": 1";

    /** Nobody changes a session, or makes one of what else they were given. */
    @Test
    void aSessionThatIsNotOneIsNone() {
        try (OidcFixture all = new OidcFixture("")) {
            OidcFixture.Begun login = all.begin("/page");
            String session = all.logIn();
            String name = session.substring(0, session.indexOf('=') + 1);
            String value = session.substring(name.length());
            Set<String> attacks = new HashSet<>();
            for (int i = 0; i < value.length(); i += 7) {
                char other = value.charAt(i) == 'A' ? 'B' : 'A';
                attacks.add(name + value.substring(0, i) + other + value.substring(i + 1));
            }
            attacks.add(name + value.substring(0, value.length() - 4));
            attacks.add(name + value + "AAAA");
            attacks.add(name + value + "=");
            attacks.add(name);
            attacks.add(name + login.state());
            attacks.add(session + "; " + session);
            attacks.add(session.replace("__Host-", ""));
            for (String each : attacks) {
                assertThat(all.get("/", "Cookie: " + each + "\r\n").status())
                        .as(each)
                        .isEqualTo(401);
            }
            assertThat(all.passed).isEmpty();
            assertThat(all.get("/", "Cookie: " + session + "\r\n").status()).isEqualTo(200);
        }
    }

    /** A new secret logs nobody out while the former one is named; then it does. Nor is one client's session another's. */
    @Test
    void secretsRotate() {
        try (OidcFixture all = new OidcFixture("")) {
            String session = "Cookie: " + all.logIn() + "\r\n";
            String next = "\"session-secret\": \"another secret of more than 32 characters\", ";
            all.gateway.reload(all.json(next + "\"former-session-secrets\": [\"" + all.secret + "\"], "));
            assertThat(all.get("/", session).status()).isEqualTo(200);
            all.gateway.reload(all.json(next));
            assertThat(all.get("/", session).status()).isEqualTo(401);
            all.gateway.reload(all.json("").replace("\"shop\"", "\"other\""));
            assertThat(all.get("/", session).status()).isEqualTo(401);
            all.gateway.reload(all.json(""));
            assertThat(all.get("/", session).status()).isEqualTo(200);
        }
    }

    /** What was asked of the provider is known after a reload. */
    @Test
    void aReloadAsksNothingAgain() {
        try (OidcFixture all = new OidcFixture("")) {
            all.begin("/page");
            all.gateway.reload(all.json("\"session-lifetime\": \"1h\", "));
            all.begin("/page");
            assertThat(all.provider.otherRequests).hasSize(2);
        }
    }

    /** A page asks for many things at once: the provider is asked once, as it takes a second time for theft. */
    @Test
    void aStaleSessionIsRenewedOnce() throws Exception {
        try (OidcFixture all = new OidcFixture("\"pass-access-token\": true, ")) {
            String session = all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT);
            assertThat(all.get("/", "Cookie: " + session + "\r\n").header("Set-Cookie"))
                    .isNull();
            assertThat(all.passed.getLast().header("Authorization")).isEqualTo("Bearer access-c1");
            String later = ", \"refresh_token\": \"r2\", \"expires_in\": 300";
            Gate many = new Gate();
            all.provider.tokens = form -> {
                many.pass();
                return all.provider.tokens(form, all.provider.claims("", Map.of("email", "new@example.org")), later);
            };
            Await.until("the session to be stale", () -> !isFresh(all, session, many));
            assertThat(all.provider.tokenRequests).hasSize(2);
            Map<String, String> form =
                    OidcFixture.form(all.provider.tokenRequests.getLast().bodyText());
            assertThat(form).containsEntry("grant_type", "refresh_token").containsEntry("refresh_token", "r1");

            RawResponse old = all.get("/", "Cookie: " + session + "\r\n");
            assertThat(old.status()).isEqualTo(200);
            assertThat(old.header("Cache-Control")).isEqualTo("no-store");
            assertThat(all.passed.getLast().header("Authorization")).isEqualTo("Bearer access-r1");
            assertThat(all.passed.getLast().header("X-Consumer-Email")).isEqualTo("new@example.org");
            RawResponse fresh = all.get("/", "Cookie: " + OidcFixture.cookie(old) + "\r\n");
            assertThat(fresh.status()).isEqualTo(200);
            assertThat(fresh.header("Set-Cookie")).isNull();
            assertThat(fresh.header("Cache-Control")).isEqualTo("max-age=60");
            assertThat(all.provider.tokenRequests).hasSize(2);
        }
    }

    /** Nor is a token that is spent used again after a reload, or by a session that comes late and has been renewed more than once since. */
    @Test
    void whatWasRenewedIsKnownAfterAReload() {
        try (OidcFixture all = new OidcFixture("")) {
            String session = all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT);
            all.provider.tokens = form -> all.provider.tokens(
                    form,
                    all.provider.claims("", Map.of()),
                    ", \"refresh_token\": \"" + form.get("refresh_token") + "x\", \"expires_in\": 1");
            Await.until("two renewals by the session of before", () -> {
                assertThat(all.get("/", "Cookie: " + session + "\r\n").status()).isEqualTo(200);
                return all.provider.tokenRequests.size() >= 3;
            });
            all.provider.tokens = form -> all.provider.tokens(
                    form,
                    all.provider.claims("", Map.of()),
                    ", \"refresh_token\": \"" + form.get("refresh_token") + "x\", \"expires_in\": 300");
            Await.until("a last one", () -> {
                assertThat(all.get("/", "Cookie: " + session + "\r\n").status()).isEqualTo(200);
                return all.provider.tokenRequests.size() >= 4;
            });
            all.gateway.reload(all.json("\"realm\": \"other\", "));
            assertThat(all.get("/", "Cookie: " + session + "\r\n").status()).isEqualTo(200);
            assertThat(all.provider.tokenRequests.stream()
                            .skip(1)
                            .map(each -> OidcFixture.form(each.bodyText()).get("refresh_token")))
                    .doesNotHaveDuplicates()
                    .startsWith("r1", "r1x");
        }
    }

    /** A provider that keeps its refresh tokens is asked again each time that the access token expires. */
    @Test
    void refreshTokensMayStayTheSame() {
        try (OidcFixture all = new OidcFixture("")) {
            String session = all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT);
            all.provider.tokens =
                    form -> all.provider.tokens(form, all.provider.claims("", Map.of()), ", \"expires_in\": 1");
            Await.until("three renewals", () -> {
                assertThat(all.get("/", "Cookie: " + session + "\r\n").status()).isEqualTo(200);
                return all.provider.tokenRequests.size() >= 4;
            });
        }
    }

    /** Two users whose provider gave them the same refresh token are two users. */
    @Test
    void whoHasTheSameTokenIsStillAnother() {
        try (OidcFixture all = new OidcFixture("")) {
            String ada = all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT);
            String eve = all.logIn(login -> all.provider.claims(login.nonce(), Map.of("sub", "eve")), SHORT);
            all.provider.tokens = form ->
                    ProviderDouble.json("{ \"token_type\": \"Bearer\", \"access_token\": \"a\", \"expires_in\": 300 }");
            Await.until("both to be renewed", () -> {
                assertThat(all.get("/", "Cookie: " + ada + "\r\n").status()).isEqualTo(200);
                assertThat(all.passed.getLast().header("X-Consumer-Id")).isEqualTo("ada");
                assertThat(all.get("/", "Cookie: " + eve + "\r\n").status()).isEqualTo(200);
                assertThat(all.passed.getLast().header("X-Consumer-Id")).isEqualTo("eve");
                return all.provider.tokenRequests.size() == 4;
            });
        }
    }

    /** Who logs out while the session is renewed has logged out. */
    @Test
    void aLogoutDuringARenewalCounts() throws Exception {
        try (OidcFixture all = new OidcFixture("")) {
            String session = all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT);
            Gate hold = new Gate();
            all.provider.tokens = form -> {
                hold.pass();
                return all.provider.tokens(form, all.provider.claims("", Map.of()), SHORT);
            };
            try (RawClient client = all.gateway.connect()) {
                Await.until("it to be renewed", () -> isAsked(all, client, session));
                assertThat(all.get("/oidc/logout", "Cookie: " + session + "\r\n")
                                .status())
                        .isEqualTo(303);
                hold.release();
                RawResponse late = client.readResponse();
                assertThat(late.status()).isEqualTo(401);
                assertThat(late.header("Set-Cookie")).isNull();
            }
        }
    }

    /** Sends a request with that session; whether the provider was asked for its sake, and holds it. */
    private static boolean isAsked(OidcFixture all, RawClient client, String session) {
        try {
            int before = all.provider.tokenRequests.size();
            int passed = all.passed.size();
            client.send("GET / HTTP/1.1\r\nHost: a\r\nCookie: " + session + "\r\n\r\n");
            Await.until("either", () -> all.provider.tokenRequests.size() > before || all.passed.size() > passed);
            boolean asked = all.provider.tokenRequests.size() > before;
            if (!asked) {
                client.readResponse();
            }
            return asked;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nodes take what stands there for Sigma's. */
    @Test
    void whereNodesGetAccessTokensClientsGiveNone() {
        try (OidcFixture all = new OidcFixture("\"pass-access-token\": true, \"unauthenticated\": \"pass\", ")) {
            assertThat(all.get("/", "Authorization: Bearer forged\r\n").status())
                    .isEqualTo(200);
            assertThat(all.passed.getLast().header("Authorization")).isNull();
        }
    }

    /** A session holds what was to be held when it began: what nodes get is what is written now. */
    @Test
    void whatNodesGetIsAsWrittenNow() {
        try (OidcFixture all = new OidcFixture("")) {
            String session = "Cookie: " + all.logIn() + "\r\nAuthorization: Bearer of-the-client\r\n";
            assertThat(all.get("/", session).status()).isEqualTo(200);
            assertThat(all.passed.getLast().header("Authorization")).isEqualTo("Bearer of-the-client");
            all.gateway.reload(all.json("\"pass-access-token\": true, "));
            assertThat(all.get("/", session).status()).isEqualTo(200);
            assertThat(all.passed.getLast().header("Authorization")).isNull();

            String other = "Cookie: " + all.logIn() + "\r\nAuthorization: Bearer of-the-client\r\n";
            assertThat(all.get("/", other).status()).isEqualTo(200);
            assertThat(all.passed.getLast().header("Authorization")).isEqualTo("Bearer access-c1");
            all.gateway.reload(all.json(""));
            assertThat(all.get("/", other).status()).isEqualTo(200);
            assertThat(all.passed.getLast().header("Authorization")).isEqualTo("Bearer of-the-client");
        }
    }

    /** Tried out, it leaves codes, tokens and sessions alone. */
    @Test
    void inShadowItActsNowhere() {
        try (OidcFixture all = new OidcFixture("")) {
            OidcFixture.Begun login = all.begin("/page");
            String session = all.logIn(made -> all.provider.claims(made.nonce(), Map.of()), SHORT);
            all.gateway.reload(all.json("\"mode\": \"shadow\", "));
            assertThat(all.comeBack(login, "c2").bodyText()).isEqualTo("hello");
            long staleNanos = System.nanoTime() + 1_000_000_000L;
            Await.until("the session to be stale", () -> System.nanoTime() > staleNanos);
            assertThat(all.get("/", "Cookie: " + session + "\r\n").bodyText()).isEqualTo("hello");
            assertThat(all.get("/oidc/logout", "Cookie: " + session + "\r\n").bodyText())
                    .isEqualTo("hello");
            assertThat(all.provider.tokenRequests).hasSize(1);
        }
    }

    /** Twenty requests at once; whether none of them had the session renewed. Where one has, all have the same. */
    private static boolean isFresh(OidcFixture all, String session, Gate many) {
        List<RawClient> clients = new ArrayList<>();
        boolean fresh = true;
        try {
            for (int i = 0; i < 20; i++) {
                RawClient client = all.gateway.connect();
                clients.add(client);
                client.send("GET " + (i % 2 == 0 ? "/" : "/api/x") + " HTTP/1.1\r\nHost: a\r\nCookie: " + session
                        + "\r\n\r\n");
            }
            many.release();
            for (RawClient client : clients) {
                RawResponse response = client.readResponse();
                assertThat(response.status()).isEqualTo(200);
                fresh &= response.header("Set-Cookie") == null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            clients.forEach(RawClient::close);
        }
        return fresh;
    }

    @ParameterizedTest
    @CsvSource({"refuse,503", "keep,200"})
    void whereTheProviderIsDownItIsAsWritten(String written, int status) {
        try (OidcFixture all = new OidcFixture("\"on-failure\": \"" + written + "\", ")) {
            String session = all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT);
            all.provider.tokens = form -> Answer.of(500);
            int before = all.provider.tokenRequests.size();
            Await.until("the session to be stale", () -> {
                all.get("/", "Cookie: " + session + "\r\n");
                return all.provider.tokenRequests.size() > before;
            });
            long expiredNanos = System.nanoTime() + 1_000_000_000L;
            Await.until("the access token to have expired", () -> System.nanoTime() > expiredNanos);
            for (int i = 0; i < 2; i++) {
                assertThat(all.get("/", "Cookie: " + session + "\r\n").status()).isEqualTo(status);
            }
            assertThat(all.provider.tokenRequests).hasSizeBetween(before + 2, before + 3);
        }
    }

    /** Who was locked out at the provider is out here, too; nor does another user's token take the place of the first one's. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSessionThatIsOverThereIsOverHere(boolean refused) {
        try (OidcFixture all = new OidcFixture("\"on-failure\": \"keep\", ")) {
            String session = all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT);
            all.provider.tokens = form -> refused
                    ? Answer.of(400).body("{ \"error\": \"invalid_grant\" }")
                    : all.provider.tokens(form, all.provider.claims("", Map.of("sub", "eve")), SHORT);
            Await.until(
                    "the session to be over",
                    () -> all.get("/", "Cookie: " + session + "\r\n").status() == 401);
            assertThat(all.get("/", OidcFixture.PAGE + "Cookie: " + session + "\r\n")
                            .status())
                    .isEqualTo(302);
            assertThat(all.provider.tokenRequests).hasSize(2);
        }
    }

    /** Some providers give the same refresh token at each login: what has become of a session is nothing of the next one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNextLoginIsNotOverWithTheOneBefore(boolean logsOut) {
        try (OidcFixture all = new OidcFixture("")) {
            String first =
                    "Cookie: " + all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT) + "\r\n";
            if (logsOut) {
                assertThat(all.get("/oidc/logout", first).status()).isEqualTo(303);
            } else {
                all.provider.tokens = form -> Answer.of(400).body("{ \"error\": \"invalid_grant\" }");
                Await.until("the session to be over", () -> all.get("/", first).status() == 401);
            }
            String next = "Cookie: " + all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT) + "\r\n";
            int asked = all.provider.tokenRequests.size();
            String later = ", \"refresh_token\": \"r1\", \"expires_in\": 300";
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims("", Map.of()), later);
            Await.until("it to be renewed", () -> {
                assertThat(all.get("/", next).status()).isEqualTo(200);
                return all.provider.tokenRequests.size() > asked;
            });
            assertThat(all.get("/", next).status()).isEqualTo(200);
            assertThat(all.get("/", first).status()).isEqualTo(401);
        }
    }

    @Test
    void aUserLogsOutHereAndThere() {
        try (OidcFixture all = new OidcFixture("\"after-logout-url\": \"https://shop.example.org/bye\", ")) {
            String session = all.logIn();
            RawResponse out = all.get("/oidc/logout", "Cookie: " + session + "\r\n");
            assertThat(out.status()).isEqualTo(303);
            assertThat(out.headers().first("Set-Cookie")).startsWith("__Host-sigma-session=; Max-Age=0; Path=/");
            String location = OidcFixture.location(out);
            assertThat(location).startsWith(all.provider.issuer() + "/logout?");
            Map<String, String> query = OidcFixture.query(location);
            assertThat(query)
                    .containsEntry("client_id", "shop")
                    .containsEntry("post_logout_redirect_uri", "https://shop.example.org/bye");
            assertThat(query.get("id_token_hint")).matches("[^.]+\\.[^.]+\\.[^.]+");
            all.provider.discovery = text -> text.replace("end_session_endpoint", "none");
            all.gateway.reload(all.json("\"timeout\": \"4s\", "));
            assertThat(all.get("/oidc/logout", "").headers().first("Location")).isEqualTo("https://shop.example.org/");
            assertThat(all.passed).isEmpty();
        }
    }

    /** A page elsewhere, a picture, what a browser fetches ahead: none of them is a user who wants to. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET  | Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: navigate                          | 403",
                "POST | Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: navigate                          | 403",
                "POST | Origin: https://evil.example                                                  | 403",
                "POST | Origin: null                                                                  | 403",
                "GET  | Sec-Fetch-Site: same-origin; Sec-Fetch-Mode: no-cors                          | 403",
                "GET  | Sec-Fetch-Site: same-origin; Sec-Fetch-Mode: navigate; Sec-Purpose: prefetch  | 403",
                "HEAD | Sec-Fetch-Site: same-origin; Sec-Fetch-Mode: navigate                         | 405",
                "PUT  | X: a                                                                          | 405",
                "GET  | X: a                                                                          | 303",
                "GET  | Sec-Fetch-Site: same-origin; Sec-Fetch-Mode: navigate                         | 303",
                "GET  | Sec-Fetch-Site: none; Sec-Fetch-Mode: navigate                                | 303",
                "POST | Origin: https://shop.example.org                                              | 303",
                "POST | Sec-Fetch-Site: same-origin; Sec-Fetch-Mode: cors; Origin: null               | 303",
            })
    void aLogoutIsWhatAUserWants(String method, String fields, int status) throws IOException {
        try (OidcFixture all = new OidcFixture("")) {
            String session = all.logIn();
            try (RawClient client = all.gateway.connect()) {
                RawResponse out = client.send(
                                method + " /oidc/logout HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nCookie: " + session
                                        + "\r\n" + fields.replaceAll("; ", "\r\n") + "\r\n\r\n")
                        .readResponse(method);
                assertThat(out.status()).isEqualTo(status);
                assertThat(out.headers().has("Set-Cookie")).isEqualTo(status == 303);
            }
        }
    }

    /** The ID token is left out first; what is too large without it is no session. */
    @ParameterizedTest
    @CsvSource({"500,303", "3000,303", "6000,500"})
    void aSessionThatBrowsersDontKeepIsNone(int chars, int status) {
        try (OidcFixture all = new OidcFixture("\"pass-access-token\": true, ")) {
            OidcFixture.Begun login = all.begin("/page");
            Map<String, Object> claims = all.provider.claims(login.nonce(), Map.of("filler", "f".repeat(chars)));
            String access = "a".repeat(chars / 2);
            all.provider.tokens = form -> ProviderDouble.json("{ \"token_type\": \"bearer\", \"access_token\": \""
                    + access + "\", \"id_token\": \"" + all.provider.signed(claims) + "\" }");
            RawResponse back = all.comeBack(login, "c");
            assertThat(back.status()).isEqualTo(status);
            if (status == 303) {
                assertThat(OidcFixture.setCookie(back)).hasSizeLessThanOrEqualTo(Cookies.CHARS_MAX);
                assertThat(all.get("/", "Cookie: " + OidcFixture.cookie(back) + "\r\n")
                                .status())
                        .isEqualTo(200);
                assertThat(all.passed.getLast().header("Authorization")).isEqualTo("Bearer " + access);
            }
        }
    }
}
