package net.oooops.sigma.plugins.authentication.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.jwk.JWKSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.plugins.authentication.BoundedWork;
import net.oooops.sigma.plugins.authentication.jose.KeySet;
import net.oooops.sigma.plugins.authentication.jose.Verifying;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What tokens wait for. Clients have addresses of their own here: the bounds are those of the whole process. */
class VerifyingTest {
    private static final String ADDRESS = "198.51.100.77";
    private static final IpAddress CLIENT = Objects.requireNonNull(IpAddress.parse(ADDRESS));

    private final TestContext context = new TestContext();
    private final CountDownLatch mayVerify = new CountDownLatch(1);

    @AfterEach
    void release() {
        mayVerify.countDown();
    }

    private static String token(int number) {
        return Issuer.token("ES384", "{\"sub\":\"ada\",\"n\":" + number + ",\"exp\":9999999999}");
    }

    private Jwt plugin() {
        Map<String, Object> settings = Map.of(
                "audience",
                List.of(),
                "keys",
                List.of(Map.of("jwk", Issuer.P384.toPublicJWK().toJSONObject())));
        return (Jwt) new JwtFactory().create(Settings.of(settings), context);
    }

    /** Threads verify nothing until the test lets them. */
    private void holdThreads() {
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Verifying.THREADS.execute(() -> {
                try {
                    assertThat(mayVerify.await(10, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    private static TestExchange with(String token) {
        return TestExchange.of("GET", "/", "Authorization: Bearer " + token).withAddresses(ADDRESS, ADDRESS);
    }

    private static void fill(BoundedWork work, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(work.enter(CLIENT)).isEqualTo(BoundedWork.Admission.ADMITTED);
        }
    }

    private static void empty(BoundedWork work, int count) {
        for (int i = 0; i < count; i++) {
            work.leave(CLIENT);
        }
    }

    private static String reason(Outcome outcome) {
        return outcome instanceof Outcome.Respond respond
                ? respond.response().status() + " " + respond.reason()
                : outcome.getClass().getSimpleName();
    }

    private static Outcome end(Outcome outcome, TestExchange exchange) throws Exception {
        Outcome next = outcome;
        while (!(next instanceof Outcome.Respond || next instanceof Outcome.Continue)) {
            next = switch (next) {
                case Outcome.Suspend suspend ->
                    suspend.next().toCompletableFuture().get(10, TimeUnit.SECONDS);
                case Outcome.Then then -> then.step().apply(exchange);
                default -> throw new AssertionError(next);
            };
        }
        return next;
    }

    @Test
    void equalTokensAreVerifiedOnceAndAClientHasItsShare() throws Exception {
        Jwt plugin = plugin();
        fill(Verifying.SIGNATURES, BoundedWork.WAITING_PER_CLIENT_MAX - 1);
        try {
            holdThreads();
            String token = token(1);
            List<Outcome> same = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                same.add(plugin.onRequest(with(token)));
            }
            assertThat(same).extracting(VerifyingTest::reason).containsOnly("Suspend");
            assertThat(reason(plugin.onRequest(with(token(2))))).isEqualTo("429 test: client-busy");
            Outcome other = plugin.onRequest(with(token(2)).withAddresses("198.51.100.78", "198.51.100.78"));
            assertThat(reason(other)).isEqualTo("Suspend");
            mayVerify.countDown();
            for (Outcome each : same) {
                assertThat(each)
                        .isInstanceOfSatisfying(
                                Outcome.Suspend.class,
                                suspend -> assertThat(suspend.next()).succeedsWithin(Duration.ofSeconds(10)));
            }
            Await.until(
                    "there is room again",
                    () -> !reason(plugin.onRequest(with(token(3)))).contains("busy"));
        } finally {
            empty(Verifying.SIGNATURES, BoundedWork.WAITING_PER_CLIENT_MAX - 1);
        }
    }

    @Test
    void aKeyThatIsTakenAwayMeanwhileLetsNobodyIn() throws Exception {
        Jwt plugin = plugin();
        holdThreads();
        TestExchange exchange = with(token(1));
        Outcome before = plugin.onRequest(exchange);
        assertThat(reason(before)).isEqualTo("Suspend");
        plugin.keys(new KeySet(List.of()));
        mayVerify.countDown();
        assertThat(reason(end(before, exchange))).isEqualTo("401 test: unknown-key");
    }

    @Test
    void aClientHasItsShareOfThoseWhoWaitForKeys() throws Exception {
        String keys = new JWKSet(Issuer.P384.toPublicJWK()).toString(true);
        CountDownLatch mayAnswer = new CountDownLatch(1);
        Map<String, Object> settings = new HashMap<>(Map.of("audience", List.of()));
        fill(Verifying.KEYS, BoundedWork.WAITING_PER_CLIENT_MAX - 1);
        try (KeyServer server = KeyServer.plain().answers(200, keys).waitsFor(mayAnswer)) {
            settings.put("jwks-url", server.url());
            try (Plugin plugin = new JwtFactory().create(Settings.of(settings), context)) {
                plugin.start();
                Outcome waits = plugin.onRequest(with(token(1)));
                assertThat(reason(waits)).isEqualTo("Suspend");
                assertThat(reason(plugin.onRequest(with(token(1))))).isEqualTo("429 test: client-busy");
                mayAnswer.countDown();
                assertThat(((Outcome.Suspend) waits).next()).succeedsWithin(Duration.ofSeconds(10));
            }
            fill(Verifying.KEYS, 1);
            empty(Verifying.KEYS, 1);
        } finally {
            empty(Verifying.KEYS, BoundedWork.WAITING_PER_CLIENT_MAX - 1);
        }
    }
}
