package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.redis.RedisServer;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two gateways that share sessions, and a provider that takes a refresh token that is used twice for a stolen one. They are in one process, which they don't
 * know, as each calls the same Redis by another name.
 */
class SharedRenewalsTest {
    private static final String SHORT = ", \"refresh_token\": \"r1\", \"expires_in\": 1";

    private final RedisServer redis = RedisServer.start();
    private final AtomicReference<String> good = new AtomicReference<>("r1");
    private final CountDownLatch held = new CountDownLatch(1);

    @AfterEach
    void stop() {
        held.countDown();
        redis.close();
    }

    private static String storedIn(String id) {
        return "\"session-store\": { \"redis-id\": \"" + id + "\" }, ";
    }

    private String redis(String id, String timeout) {
        return "{ \"id\": \"" + id + "\", \"nodes\": [\"127.0.0.1:" + redis.port() + "\"], \"command-timeout\": \""
                + timeout + "\" }";
    }

    private OidcFixture started(String more) {
        OidcFixture all = new OidcFixture(
                storedIn("one") + more, ", \"redis\": [" + redis("one", "1s") + ", " + redis("two", "1s") + "]");
        Await.until("it has connected", () -> status(all.gateway, "__Host-sigma-session=none") == 401 && logsIn(all));
        return all;
    }

    private boolean logsIn(OidcFixture all) {
        OidcFixture.Begun login = all.begin("/page");
        all.provider.tokens = form -> all.provider.tokens(form, all.provider.claims(login.nonce(), Map.of()), "");
        boolean there = all.comeBack(login, "c0").status() == 303;
        redis.ask("FLUSHALL");
        return there;
    }

    private static int status(TextGateway gateway, String cookie) {
        return OidcFixture.ask(gateway, "GET", "/", "Cookie: " + cookie + "\r\n")
                .status();
    }

    private static void send(RawClient client, String cookie) throws IOException {
        client.send("GET / HTTP/1.1\r\nHost: a\r\nCookie: " + cookie + "\r\n\r\n");
    }

    /** A session that is renewed next; the provider's answers to that are held. */
    private String stale(OidcFixture all, Runnable meanwhile) {
        String cookie = all.logIn(login -> all.provider.claims(login.nonce(), Map.of()), SHORT);
        long staleNanos = System.nanoTime() + Duration.ofSeconds(1).toNanos();
        all.provider.tokens = form -> {
            held.await();
            return rotated(all, form.getOrDefault("refresh_token", ""));
        };
        meanwhile.run();
        Await.until("the session to be stale", () -> System.nanoTime() - staleNanos > 0);
        return cookie;
    }

    private Answer rotated(OidcFixture all, String refresh) {
        if (!refresh.equals(good.getAndSet(refresh + "x"))) {
            good.set("none any more");
            return Answer.of(400).body("{ \"error\": \"invalid_grant\" }");
        }
        return all.provider.tokens(
                Map.of("refresh_token", refresh),
                all.provider.claims("", Map.of()),
                ", \"refresh_token\": \"" + refresh + "x\", \"expires_in\": 300");
    }

    private static void awaitAsked(OidcFixture all, int before) {
        Await.until("the provider to be asked", () -> all.provider.tokenRequests.size() > before);
    }

    private String sessionKey() {
        return Await.value("its key", () -> redis.all("RANDOMKEY"), key -> !key.endsWith(":renewal"));
    }

    @Test
    void aSessionIsRenewedByOneGateway() throws Exception {
        try (OidcFixture all = started("")) {
            String cookie = stale(all, () -> {});
            int before = all.provider.tokenRequests.size();
            try (TextGateway two = all.another(storedIn("two"));
                    RawClient first = all.gateway.connect()) {
                send(first, cookie);
                awaitAsked(all, before);
                Await.until("the other one to have connected", () -> status(two, "__Host-sigma-session=none") == 401);
                try (RawClient second = two.connect()) {
                    send(second, cookie);
                    second.expectSilence(Duration.ofMillis(300));
                    held.countDown();
                    RawResponse one = first.readResponse();
                    RawResponse other = second.readResponse();
                    assertThat(one.status()).isEqualTo(200);
                    assertThat(other.status()).isEqualTo(200);
                    assertThat(status(two, OidcFixture.cookie(one))).isEqualTo(200);
                    assertThat(status(all.gateway, OidcFixture.cookie(other))).isEqualTo(200);
                }
                assertThat(all.provider.tokenRequests).hasSize(before + 1);
                assertThat(redis.ask("DBSIZE")).isEqualTo(":1");
            }
        }
    }

    /** A gateway that has begun to renew it, and is gone: its lease ends. */
    @Test
    void aGatewayThatDiesIsNotWaitedForForLong() {
        try (OidcFixture all = started("")) {
            held.countDown();
            String cookie = stale(all, () -> redis.ask("SET " + sessionKey() + ":renewal another PX 2000"));
            assertThat(status(all.gateway, cookie)).isEqualTo(200);
            assertThat(redis.ask("DBSIZE")).isEqualTo(":1");
        }
    }

    @Test
    void nobodyWaitsLongerThanARenewalTakes() {
        try (OidcFixture all = started("\"timeout\": \"2s\", ")) {
            held.countDown();
            String cookie = stale(all, () -> redis.ask("SET " + sessionKey() + ":renewal another PX 100000"));
            int before = all.provider.tokenRequests.size();
            RawResponse none = all.get("/", "Cookie: " + cookie + "\r\n");
            assertThat(none.status()).isEqualTo(503);
            assertThat(all.provider.tokenRequests).hasSize(before);
            redis.ask("DEL " + sessionKey() + ":renewal");
            assertThat(status(all.gateway, cookie)).isEqualTo(200);
        }
    }

    /** Who waits for what another request has begun isn't left alone when that one's client goes away. */
    @Test
    void whoBeginsItMayGoAway() throws Exception {
        try (OidcFixture all = started("")) {
            held.countDown();
            String cookie = stale(all, () -> redis.ask("SET " + sessionKey() + ":renewal another PX 100000"));
            try (RawClient first = all.gateway.connect();
                    RawClient second = all.gateway.connect()) {
                send(first, cookie);
                first.expectSilence(Duration.ofMillis(100));
                send(second, cookie);
                second.expectSilence(Duration.ofMillis(100));
                first.reset();
                second.expectSilence(Duration.ofMillis(100));
                redis.ask("DEL " + sessionKey() + ":renewal");
                assertThat(second.readResponse().status()).isEqualTo(200);
            }
        }
    }

    /** What is renewed meanwhile isn't put back. */
    @Test
    void aLogoutAtAnotherGatewayCounts() throws Exception {
        try (OidcFixture all = started("")) {
            String cookie = stale(all, () -> {});
            int before = all.provider.tokenRequests.size();
            try (TextGateway two = all.another(storedIn("two"));
                    RawClient first = all.gateway.connect()) {
                send(first, cookie);
                awaitAsked(all, before);
                Await.until(
                        "the logout",
                        () -> OidcFixture.ask(two, "GET", "/oidc/logout", "Cookie: " + cookie + "\r\n")
                                        .status()
                                == 303);
                held.countDown();
                assertThat(first.readResponse().status()).isEqualTo(401);
                assertThat(redis.ask("DBSIZE")).isEqualTo(":0");
            }
        }
    }

    /** The token is spent by then: what came of it is kept by the next one who asks. */
    @Test
    void whatCouldNotBeKeptIsKeptLater() throws Exception {
        try (OidcFixture all = started("")) {
            String cookie = stale(all, () -> {});
            int before = all.provider.tokenRequests.size();
            try (RawClient first = all.gateway.connect()) {
                send(first, cookie);
                awaitAsked(all, before);
                redis.ask("ACL SETUSER default -evalsha -eval -set");
                held.countDown();
                assertThat(first.readResponse().status()).isEqualTo(503);
            }
            redis.ask("ACL SETUSER default +evalsha +eval +set");
            assertThat(status(all.gateway, cookie)).isEqualTo(200);
            assertThat(all.provider.tokenRequests).hasSize(before + 1);
        }
    }

    /** The plugin that has begun it is gone when the answer comes, and its Redis is called otherwise. */
    @Test
    void aReloadInBetweenLosesNothing() throws Exception {
        try (OidcFixture all = started("")) {
            String cookie = stale(all, () -> {});
            int before = all.provider.tokenRequests.size();
            try (RawClient first = all.gateway.connect()) {
                send(first, cookie);
                awaitAsked(all, before);
                first.reset();
            }
            all.gateway.reload(all.json(storedIn("one") + "\"realm\": \"other\", ")
                    .replace(redis("one", "1s"), redis("one", "2s")));
            held.countDown();
            Await.until("it to be renewed", () -> status(all.gateway, cookie) != 401);
            assertThat(status(all.gateway, cookie)).isEqualTo(200);
            assertThat(all.provider.tokenRequests).hasSize(before + 1);
        }
    }

    /** Who may write to Redis brings no older state of a session to a browser that has seen a newer one. */
    @Test
    void whatWasBeforeARenewalIsNotBroughtBack() {
        try (OidcFixture all = started("")) {
            held.countDown();
            String cookie = stale(all, () -> redis.ask("COPY " + sessionKey() + " copy"));
            RawResponse renewed = all.get("/", "Cookie: " + cookie + "\r\n");
            assertThat(renewed.status()).isEqualTo(200);
            String newer = OidcFixture.cookie(renewed);
            String key = Await.value("its key", () -> redis.all("RANDOMKEY"), each -> !each.equals("copy"));
            assertThat(redis.ask("COPY copy " + key + " REPLACE")).isEqualTo(":1");
            assertThat(status(all.gateway, newer)).isEqualTo(401);
        }
    }
}
