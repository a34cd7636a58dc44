package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.plugins.authentication.BoundedWork;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import org.junit.jupiter.api.Test;
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

    /** What the provider has given is good for as long as it has said. It is asked again after a pause, and the log says once that it can't be. */
    @Test
    void aSessionGoesOnUntilItsAccessTokenExpires() {
        try (OidcFixture all = new OidcFixture("\"pass-access-token\": true, ");
                LoggedLines log = new LoggedLines(Provider.class)) {
            String good = stale(all, "good", Duration.ofMinutes(1));
            String expired = stale(all, "expired", Duration.ofMillis(-1));
            all.provider.tokens = form -> Answer.of(503);
            for (int i = 0; i < 3; i++) {
                assertThat(all.get("/", good).status()).isEqualTo(200);
            }
            assertThat(all.passed.getLast().header("Authorization")).isEqualTo("Bearer access-good");
            int asked = all.provider.tokenRequests.size();
            assertThat(asked).isPositive();
            Await.until("it is asked again", () -> {
                assertThat(all.get("/", good).status()).isEqualTo(200);
                return all.provider.tokenRequests.size() > asked;
            });
            assertThat(all.get("/", expired).status()).isEqualTo(503);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN " + all.provider.issuer() + ": can't be asked (");
            all.provider.tokens = form -> all.provider.tokens(
                    form, all.provider.claims("", Map.of()), ", \"refresh_token\": \"r2\", \"expires_in\": 300");
            Await.until("it is renewed", () -> all.get("/", good).headers().first("Set-Cookie") != null);
        }
    }

    /** One request has it renewed; who is let in without that doesn't wait for a provider that hangs. */
    @Test
    void aGoodSessionDoesNotWaitForAnothersRenewal() throws Exception {
        try (OidcFixture all = new OidcFixture("");
                RawClient first = all.gateway.connect()) {
            String good = stale(all, "good", Duration.ofMinutes(1));
            CountDownLatch hangs = new CountDownLatch(1);
            all.provider.tokens = form -> {
                hangs.await();
                return all.provider.tokens(form, all.provider.claims("", Map.of()), ", \"expires_in\": 300");
            };
            first.send("GET / HTTP/1.1\r\nHost: any.example.org\r\n" + good + "\r\n");
            Await.until("the provider is asked", () -> !all.provider.tokenRequests.isEmpty());
            assertThat(all.get("/", good).status()).isEqualTo(200);
            hangs.countDown();
            assertThat(first.readResponse().headers().first("Set-Cookie")).isNotNull();
            assertThat(all.provider.tokenRequests).hasSize(1);
        }
    }

    /** Where as many wait as may, one who needn't passes; one who would have to wait is turned away. */
    @Test
    void aGoodSessionNeedsNoPlaceToWait() {
        try (OidcFixture all = new OidcFixture("")) {
            String good = stale(all, "good", Duration.ofMinutes(1));
            String expired = stale(all, "expired", Duration.ofMillis(-1));
            WaitingPlaces places = WaitingPlaces.begin(all.provider.issuer());
            IpAddress client = Objects.requireNonNull(IpAddress.parse("127.0.0.1"));
            int entered = 0;
            try {
                while (places.work().enter(client) == BoundedWork.Admission.ADMITTED) {
                    entered++;
                }
                assertThat(all.get("/", good).status()).isEqualTo(200);
                assertThat(all.get("/", expired).status()).isEqualTo(429);
                assertThat(all.provider.tokenRequests).isEmpty();
            } finally {
                for (int i = 0; i < entered; i++) {
                    places.work().leave(client);
                }
                WaitingPlaces.end(all.provider.issuer());
            }
        }
    }

    /** The line of a session that is to be renewed, whose access token expires after so long. */
    private static String stale(OidcFixture all, String name, Duration left) {
        long now = System.currentTimeMillis();
        long end = now + Duration.ofHours(1).toMillis();
        Session session = new Session(
                "", "ada", Consumer.of("ada"), "access-" + name, name, "", end, now - 1, now + left.toMillis(), 0);
        CookieStore store = new CookieStore(
                new Cookies("sigma-session", true),
                new Sealer(List.of(all.secret), "session " + all.provider.issuer() + " shop"),
                new Sessions(new Sessions.Terms(Duration.ofHours(8), true), InstantSource.system()));
        String line = store.keep(session).join().orElseThrow().cookie().value();
        return "Cookie: " + line.substring(0, line.indexOf(';')) + "\r\n";
    }

    /** Nobody is logged out by an upgrade: those of before say nothing of when it expires. */
    @Test
    void sessionsOfBeforeAreRead() {
        Session session = new Session("p", "ada", Consumer.of("ada"), "a", "r", "i", 9, 3, 5, 1);
        byte[] bytes = Objects.requireNonNull(session.toBytes());
        assertThat(Session.of(bytes))
                .isNotNull()
                .extracting(Session::goodMillis)
                .isEqualTo(5L);
        assertThat(Session.of(Arrays.copyOf(bytes, bytes.length - Long.BYTES)))
                .isNotNull()
                .satisfies(read -> {
                    assertThat(read.freshMillis()).isEqualTo(3);
                    assertThat(read.goodMillis()).isZero();
                });
    }
}
