package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.redis.RedisServer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sessions that lie in a real Redis. */
class RedisSessionsTest {
    private static final String STORE = "\"session-store\": { \"redis-id\": \"sessions\" }, ";

    private final RedisServer redis = RedisServer.start();

    @AfterEach
    void stop() {
        redis.close();
    }

    private OidcFixture started(String more) {
        OidcFixture all = new OidcFixture(
                STORE + more,
                ", \"redis\": [{ \"id\": \"sessions\", \"nodes\": [\"127.0.0.1:" + redis.port()
                        + "\"], \"command-timeout\": \"1s\" }]");
        // It connects when it is there; the first request may come before.
        Await.until("it has connected", () -> status(all, "__Host-sigma-session=none") == 401 && isThere(all));
        return all;
    }

    private boolean isThere(OidcFixture all) {
        OidcFixture.Begun login = all.begin("/page");
        all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), Map.of()), "");
        boolean there = all.comeBack(login, "c0").status() == 303;
        redis.ask("FLUSHALL");
        return there;
    }

    private static int status(OidcFixture all, String cookie) {
        return all.get("/", "Cookie: " + cookie + "\r\n").status();
    }

    @Test
    void largeOnesFitAndAllGatewaysKnowThem() {
        String more = "\"pass-access-token\": true, ";
        try (OidcFixture all = started(more);
                TextGateway another = all.another(STORE + more)) {
            OidcFixture.Begun login = all.begin("/page");
            String access = "a".repeat(6_000);
            Map<String, Object> claims = all.provider.claims(login.nonce(), Map.of("filler", "f".repeat(10_000)));
            all.provider.tokens = form -> ProviderDouble.json("{ \"token_type\": \"bearer\", \"access_token\": \""
                    + access + "\", \"id_token\": \"" + all.provider.signed(claims) + "\" }");
            RawResponse back = all.comeBack(login, "c");
            assertThat(back.status()).as(back.bodyText()).isEqualTo(303);
            String cookie = OidcFixture.cookie(back);
            assertThat(cookie).hasSizeLessThan(200);
            assertThat(status(all, cookie)).isEqualTo(200);
            assertThat(all.passed.getLast().header("Authorization")).isEqualTo("Bearer " + access);
            assertThat(all.passed.getLast().header("X-Consumer-Id")).isEqualTo("ada");
            Await.until(
                    "the other one to have connected",
                    () -> OidcFixture.ask(another, "GET", "/", "Cookie: " + cookie + "\r\n")
                                    .status()
                            == 200);
            String value = redis.all("GET " + redis.all("RANDOMKEY"));
            assertThat(value).isNotEmpty().doesNotContain("ada@").doesNotContain(access);
            RawResponse out = all.get("/oidc/logout", "Cookie: " + cookie + "\r\n");
            assertThat(OidcFixture.location(out)).hasSizeLessThan(1_000);
        }
    }

    /** A copy of the cookie is worth nothing after the logout. */
    @Test
    void aLogoutEndsItForAllWhoHaveIt() {
        try (OidcFixture all = started("")) {
            String cookie = all.logIn();
            assertThat(status(all, cookie)).isEqualTo(200);
            RawResponse out = all.get("/oidc/logout", "Cookie: " + cookie + "\r\n");
            assertThat(OidcFixture.query(OidcFixture.location(out))).containsKey("id_token_hint");
            Await.until("it to be over", () -> status(all, cookie) == 401);
            assertThat(redis.ask("DBSIZE")).isEqualTo(":0");
        }
    }

    /** Who may write to Redis has nobody come in as somebody else. */
    @Test
    void whoWritesToRedisMakesNoSession() {
        try (OidcFixture all = started("")) {
            String first = all.logIn();
            String keyOfFirst = redis.all("RANDOMKEY");
            String second = all.logIn(login -> all.provider.claims(login.nonce(), Map.of("sub", "eve")), "");
            String keyOfSecond =
                    Await.value("the other key", () -> redis.all("RANDOMKEY"), key -> !key.equals(keyOfFirst));
            assertThat(status(all, second)).isEqualTo(200);
            assertThat(redis.ask("COPY " + keyOfFirst + " " + keyOfSecond + " REPLACE"))
                    .isEqualTo(":1");
            assertThat(status(all, second)).isEqualTo(401);
            assertThat(status(all, first)).isEqualTo(200);
            assertThat(redis.ask("SET " + keyOfFirst + " garbage")).isEqualTo("+OK");
            assertThat(status(all, first)).isEqualTo(401);
        }
    }

    @Test
    void withoutRedisNobodyIsLetIn() {
        try (OidcFixture all = started("")) {
            String cookie = all.logIn();
            OidcFixture.Begun login = all.begin("/page");
            all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), Map.of()), "");
            redis.kill();
            Await.until("it to be missed", () -> status(all, cookie) == 503);
            assertThat(all.comeBack(login, "c1").status()).isEqualTo(503);
            assertThat(all.get("/oidc/logout", "Cookie: " + cookie + "\r\n").status())
                    .as("a logout that nobody has noted is none")
                    .isEqualTo(503);
            assertThat(all.get("/page", OidcFixture.PAGE).status())
                    .as("who has none")
                    .isEqualTo(302);
            redis.startAgain();
            // It knows nobody any more.
            Await.until("it to be there again", () -> status(all, cookie) == 401);
            assertThat(all.comeBack(login, "c2").status()).isEqualTo(303);
        }
    }

    /** One that is renewed stays where it lies. */
    @Test
    void aRenewedOneStaysWhereItLies() {
        try (OidcFixture all = started("")) {
            String cookie = all.logIn(
                    login -> all.provider.claims(login.nonce(), Map.of()),
                    ", \"refresh_token\": \"r1\", \"expires_in\": 1");
            all.provider.tokens = form -> all.provider.tokens(
                    form,
                    all.provider.claims("", Map.of("email", "new@example.org")),
                    ", \"refresh_token\": \"r2\", \"expires_in\": 300");
            Await.until("it to be renewed", () -> {
                assertThat(status(all, cookie)).isEqualTo(200);
                return "new@example.org".equals(all.passed.getLast().header("X-Consumer-Email"));
            });
            assertThat(redis.ask("DBSIZE")).isEqualTo(":1");
            int asked = all.provider.tokenRequests.size();
            assertThat(status(all, cookie)).isEqualTo(200);
            assertThat(all.provider.tokenRequests).hasSize(asked);
        }
    }
}
