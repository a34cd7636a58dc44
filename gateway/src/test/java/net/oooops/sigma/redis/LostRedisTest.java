package net.oooops.sigma.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static net.oooops.sigma.ChangedRecord.with;
import static net.oooops.sigma.redis.Asked.answer;
import static net.oooops.sigma.redis.Asked.failure;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.RedisException.Kind;
import net.oooops.sigma.config.RedisConfig;
import net.oooops.sigma.config.RedisConfig.Bounds;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Redis that goes, hangs, lies, or doesn't let anybody in. */
@Isolated("the log of the whole process is looked at")
class LostRedisTest extends RedisFixture {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Bounds QUICK = with(Bounds.DEFAULT, "commandTimeoutNanos", TimeUnit.MILLISECONDS.toNanos(200));

    private void awaitConnections(int count) {
        Await.until(count + " connections", () -> reading().connectionsCount() == count);
    }

    @Test
    void oneThatDiesIsSaidOnceAndSoIsThatItIsBack() {
        try (LoggedLines log = new LoggedLines(RedisClient.class);
                RedisServer server = RedisServer.start();
                Redis redis = ready(server.config("limits"))) {
            answer(redis.get("a"));
            server.kill();
            awaitConnections(0);
            for (int i = 0; i < 100; i++) {
                assertThat(redis.get("a").toCompletableFuture()).isCompletedExceptionally();
            }
            Await.until("it is tried again", () -> log.lines().size() == 1);
            server.startAgain();
            awaitConnections(1);
            assertThat(answer(redis.get("a"))).isEmpty();
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().getFirst()).startsWith("WARN redis limits: no connection to 127.0.0.1:");
            assertThat(log.lines().getLast()).startsWith("INFO redis limits: connected again, to 127.0.0.1:");
            assertThat(reading().failureCounts().get(Kind.GONE)).isGreaterThanOrEqualTo(100);
        }
    }

    /** It has the connections, and takes new ones: the kernel does. */
    @Test
    void oneThatHangsIsGivenUpAndFoundAgain() {
        Bounds bounds = with(QUICK, "connectTimeoutNanos", TimeUnit.MILLISECONDS.toNanos(200));
        try (LoggedLines log = new LoggedLines(RedisClient.class);
                RedisServer server = RedisServer.start();
                Redis redis = ready(server.config("limits", bounds))) {
            answer(redis.get("a"));
            server.stall();
            assertThat(failure(redis.get("a"))).isEqualTo(Kind.TIMEOUT);
            assertThat(redis.get("a").toCompletableFuture()).isCompletedExceptionally();
            assertThat(log.lines()).singleElement().asString().contains("no answer within 200 ms");
            server.goOn();
            awaitConnections(1);
            assertThat(answer(redis.get("a"))).isEmpty();
            assertThat(log.lines()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 400 Bad Request\r\n", "$-7\r\n", ":1\r\n", "$99999999\r\n", "+OK\r\n+OK\r\n"})
    void garbageEndsTheConnectionAndTheCommand(String text) {
        try (LoggedLines log = new LoggedLines(RedisClient.class);
                FakeRedis fake = FakeRedis.saying(text);
                Redis redis = begun(config(QUICK, fake))) {
            if (text.startsWith("+OK")) {
                answer(redis.set("a", new byte[1], MINUTE));
                Await.until("given up", () -> log.lines().size() == 1);
            } else {
                assertThat(failure(redis.get("a"))).isEqualTo(Kind.GARBAGE);
            }
            assertThat(reading().waitingCount()).isZero();
        }
    }

    /** Texts without an end, as fast as they go: no more is kept than an answer may have. */
    @Test
    void anEndlessAnswerIsCut() {
        byte[] much = "a".repeat(1 << 16).getBytes(ISO_8859_1);
        try (LoggedLines log = new LoggedLines(RedisClient.class);
                FakeRedis fake = FakeRedis.with((command, out) -> {
                    if (command.getFirst().equals("PING")) {
                        out.write("+PONG\r\n".getBytes(ISO_8859_1));
                        return;
                    }
                    out.write("$1048000\r\n".getBytes(ISO_8859_1));
                    while (true) {
                        out.write(much);
                    }
                });
                Redis redis = begun(config(QUICK, fake))) {
            assertThat(failure(redis.get("a"))).isEqualTo(Kind.GARBAGE);
            Await.until("given up", () -> log.lines().size() == 1);
        }
    }

    private static RedisConfig config(Bounds bounds, FakeRedis fake) {
        return new RedisConfig("limits", List.of(fake.node()), RedisConfig.User.NONE, 0, null, bounds);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-NOAUTH Authentication required.\r\n",
                "-LOADING Redis is loading the dataset in memory\r\n",
                "-ERR max number of clients reached\r\n"
            })
    void oneThatLetsNobodyInIsLost(String text) {
        try (LoggedLines log = new LoggedLines(RedisClient.class);
                FakeRedis fake = FakeRedis.with((command, out) -> out.write(text.getBytes(ISO_8859_1)));
                Redis redis = begun(config(QUICK, fake))) {
            assertThat(failure(redis.get("a"))).isEqualTo(Kind.GONE);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains(text.strip().substring(1));
            Await.until("it is tried again", () -> fake.commands().size() > 1);
            assertThat(log.lines()).hasSize(1);
        }
    }

    @Test
    void passwordsAreGivenAndNeverShown() {
        try (LoggedLines log = new LoggedLines(RedisClient.class);
                RedisServer server = RedisServer.start("--requirepass", "of-the-test-1")) {
            RedisConfig config = server.config("limits");
            try (Redis redis = ready(with(config, "user", new RedisConfig.User("", "of-the-test-1")))) {
                answer(redis.set("a", new byte[1], MINUTE));
            }
            try (Redis redis = ready(with(config, "user", new RedisConfig.User("default", "of-the-test-1")))) {
                answer(redis.get("a"));
            }
            assertThat(log.lines()).isEmpty();
            RedisConfig wrong = with(config, "user", new RedisConfig.User("default", "of-the-test-2"));
            try (Redis redis = begun(wrong)) {
                assertThat(failure(redis.get("a"))).isEqualTo(Kind.GONE);
            }
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("WRONGPASS")
                    .doesNotContain("of-the-test");
            assertThat(wrong.toString()).doesNotContain("of-the-test");
        }
    }

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    /** What is verified is for a host: the certificate is for localhost, and for nothing else. */
    @Test
    void encryptedAndVerified() {
        try {
            Path certificate = folder.resolve("certificate.pem");
            Path key = folder.resolve("key.pem");
            Files.writeString(certificate, Encryption.SHARED.certificatePem());
            Files.writeString(key, Encryption.SHARED.keyPem());
            String[] options = {
                "--tls-cert-file", certificate.toString(), "--tls-key-file", key.toString(), "--tls-auth-clients", "no"
            };
            try (LoggedLines log = new LoggedLines(RedisClient.class);
                    RedisServer server = RedisServer.startEncrypted(options)) {
                RedisConfig trusting = with(server.config("limits"), "tls", Encryption.SHARED.ofNodes());
                try (Redis redis = ready(trusting)) {
                    answer(redis.set("a", new byte[100_000], MINUTE));
                    assertThat(answer(redis.get("a"))).isPresent();
                }
                assertThat(log.lines()).isEmpty();
                RedisConfig another =
                        with(trusting, "tls", with(Encryption.SHARED.ofNodes(), "serverName", "elsewhere"));
                try (Redis redis = begun(another)) {
                    assertThat(failure(redis.get("a"))).isEqualTo(Kind.GONE);
                    assertThat(log.lines()).hasSize(1);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
