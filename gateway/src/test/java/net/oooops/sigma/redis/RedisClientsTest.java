package net.oooops.sigma.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static net.oooops.sigma.ChangedRecord.with;
import static net.oooops.sigma.redis.Asked.answer;
import static net.oooops.sigma.redis.Asked.failure;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.RedisException.Kind;
import net.oooops.sigma.api.RedisScript;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.RedisConfig;
import net.oooops.sigma.config.RedisConfig.Bounds;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import org.junit.jupiter.api.Test;

/** Plugins and a real Redis. */
class RedisClientsTest extends RedisFixture {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static RedisConfig config(Bounds bounds, NodeConfig... nodes) {
        return new RedisConfig("r", List.of(nodes), RedisConfig.User.NONE, 0, null, bounds);
    }

    @Test
    void valuesAreThereUntilTheyExpire() {
        try (RedisServer server = RedisServer.start();
                Redis redis = ready(server.config("r"))) {
            byte[] value = {0, '\r', '\n', -1, '$'};
            assertThat(answer(redis.get("a"))).isEmpty();
            answer(redis.set("a", value, MINUTE));
            assertThat(answer(redis.get("a")))
                    .hasValueSatisfying(found -> assertThat(found).isEqualTo(value));
            assertThat(Long.parseLong(server.ask("PTTL a").substring(1))).isBetween(1L, MINUTE.toMillis());
            assertThat(answer(redis.delete("a"))).isTrue();
            assertThat(answer(redis.delete("a"))).isFalse();
            answer(redis.set("a", value, Duration.ofNanos(1)));
            Await.until("it expires", () -> answer(redis.get("a")).isEmpty());
        }
    }

    /** A script is sent whole once, and again where Redis has forgotten it. */
    @Test
    void scriptsAreSentWholeWhereRedisDoesNotKnowThem() {
        RedisScript script = RedisScript.of("return {tonumber(ARGV[1]) + 1, #KEYS}");
        try (RedisServer server = RedisServer.start();
                Redis redis = ready(server.config("r"))) {
            for (int i = 0; i < 3; i++) {
                assertThat(answer(redis.run(script, List.of("a", "b"), List.of("41"))))
                        .containsExactly(42L, 2L);
            }
            server.ask("SCRIPT FLUSH");
            assertThat(answer(redis.run(script, List.of(), List.of("1")))).containsExactly(2L, 0L);
            assertThat(server.ask("EVALSHA " + script.digest() + " 0 1")).isEqualTo("*2");
            assertThat(failure(redis.run(RedisScript.of("return 'a'"), List.of(), List.of())))
                    .isEqualTo(Kind.GARBAGE);
            assertThat(failure(redis.run(RedisScript.of("no Lua"), List.of(), List.of())))
                    .isEqualTo(Kind.REFUSED);
            assertThat(answer(redis.get("a"))).isEmpty();
            assertThat(reading().failureCounts())
                    .containsEntry(Kind.REFUSED, 1L)
                    .containsEntry(Kind.GARBAGE, 1L);
        }
    }

    @Test
    void manyAreUnderWayAtOnce() {
        try (RedisServer server = RedisServer.start();
                Redis redis = ready(with(
                        server.config("r"),
                        "bounds",
                        with(with(server.config("r").bounds(), "connections", 3), "waitingMax", 10_000)))) {
            Await.until("three connections", () -> reading().connectionsCount() == 3);
            List<CompletionStage<?>> sent = new ArrayList<>();
            for (int i = 0; i < 3000; i++) {
                sent.add(redis.set("k" + i, Integer.toString(i).getBytes(UTF_8), MINUTE));
            }
            sent.forEach(Asked::answer);
            assertThat(answer(redis.get("k2999")).map(found -> new String(found, UTF_8)))
                    .isEqualTo(Optional.of("2999"));
            assertThat(reading().commandsCount()).isEqualTo(3001);
            assertThat(reading().waitingCount()).isZero();
        }
    }

    @Test
    void databasesAreOfTheirOwn() {
        try (RedisServer server = RedisServer.start();
                Redis redis = ready(with(server.config("r"), "database", 3))) {
            answer(redis.set("a", new byte[] {'b'}, MINUTE));
            assertThat(server.ask("EXISTS a")).isEqualTo(":0");
        }
    }

    /** Nothing of what was there is taken for another's: connections are made again only where sigma.json says something else. */
    @Test
    void aReloadThatChangesNothingLeavesConnectionsAlone() {
        try (RedisServer server = RedisServer.start()) {
            RedisConfig config = server.config("r");
            Redis before = ready(config);
            answer(before.get("a"));
            long received = connectionsReceived(server);
            Redis after = clients.open("r");
            clients.begin(List.of(server.config("r")));
            clients.follow(List.of(server.config("r")));
            before.close();
            answer(after.get("a"));
            assertThat(server.ask("INFO stats")).isNotEmpty();
            assertThat(connectionsReceived(server)).isEqualTo(received);
            clients.follow(List.of(with(config, "database", 1)));
            answer(after.set("a", new byte[] {'b'}, MINUTE));
            assertThat(server.ask("EXISTS a")).isEqualTo(":0");
            assertThat(connectionsReceived(server)).isGreaterThan(received);
            Await.until("the old one is closed", () -> connected(server) == 1);
            assertThat(failure(before.get("a"))).isEqualTo(Kind.GONE);
            after.close();
            after.close();
            Await.until("all are closed", () -> connected(server) == 0);
        }
    }

    /** Named by no plugin, or only checked. */
    @Test
    void nothingIsConnectedWhereNoPluginBegins() {
        try (RedisServer server = RedisServer.start()) {
            clients.begin(List.of(server.config("r")));
            Redis checked = clients.open("r");
            assertThat(failure(checked.get("a"))).isEqualTo(Kind.GONE);
            checked.close();
            clients.follow(List.of(server.config("r")));
            assertThat(connectionsReceived(server)).isZero();
        }
    }

    /** By the gateway: those that asked have names of their own. */
    private static int connected(RedisServer server) {
        return (int) server.all("CLIENT LIST")
                        .lines()
                        .filter(line -> line.contains("cmd="))
                        .count()
                - 1;
    }

    /** Those that the test made ask for it in telnet; they are counted, too. */
    private static long connectionsReceived(RedisServer server) {
        String line = server.all("INFO stats")
                .lines()
                .filter(each -> each.startsWith("total_connections_received:"))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(line.substring(line.indexOf(':') + 1).strip()) - server.ownCount();
    }

    @Test
    void moreThanMayWaitFailsAtOnce() {
        Bounds few = with(with(Bounds.DEFAULT, "waitingMax", 5), "commandTimeoutNanos", TimeUnit.SECONDS.toNanos(1));
        try (RedisServer server = RedisServer.start();
                Redis redis = ready(server.config("r", few))) {
            answer(redis.get("a"));
            server.stall();
            List<CompletionStage<?>> sent = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                sent.add(redis.get("a"));
            }
            assertThat(sent.stream().filter(each -> each.toCompletableFuture().isDone()))
                    .hasSize(15);
            assertThat(reading().waitingCount()).isEqualTo(5);
            assertThat(failure(sent.getLast())).isEqualTo(Kind.FULL);
            assertThat(failure(sent.getFirst())).isEqualTo(Kind.TIMEOUT);
            server.goOn();
            assertThat(reading().failureCounts()).containsEntry(Kind.FULL, 15L);
            assertThat(reading().waitingCount()).isZero();
        }
    }

    @Test
    void moreBytesThanMayWaitFailAtOnce() {
        Bounds small = with(Bounds.DEFAULT, "waitingBytesMax", 10_000);
        try (RedisServer server = RedisServer.start();
                Redis redis = ready(server.config("r", small))) {
            assertThat(failure(redis.set("a", new byte[10_000], MINUTE))).isEqualTo(Kind.FULL);
            answer(redis.set("a", new byte[9_000], MINUTE));
            answer(redis.set("a", new byte[9_000], MINUTE));
        }
    }

    /** It costs the one who asked for it; all others, on the same connection, get their answers. */
    @Test
    void anAnswerThatIsTooLongIsReadPast() {
        Bounds small = with(Bounds.DEFAULT, "replyBytesMax", 1024);
        try (RedisServer server = RedisServer.start();
                Redis redis = ready(server.config("r", small))) {
            answer(redis.set("a", new byte[3_000_000], MINUTE));
            answer(redis.set("b", new byte[10], MINUTE));
            CompletionStage<Optional<byte[]>> tooLong = redis.get("a");
            CompletionStage<Optional<byte[]>> behind = redis.get("b");
            assertThat(failure(tooLong)).isEqualTo(Kind.GARBAGE);
            assertThat(answer(behind))
                    .hasValueSatisfying(value -> assertThat(value).hasSize(10));
            assertThat(reading().failureCounts())
                    .containsEntry(Kind.GARBAGE, 1L)
                    .containsEntry(Kind.GONE, 0L);
        }
    }

    @Test
    void aFullRedisRefusesWhatWritesAndGivesWhatItHas() {
        try (RedisServer server = RedisServer.start();
                Redis redis = ready(server.config("r"))) {
            answer(redis.set("a", new byte[100], MINUTE));
            server.ask("CONFIG SET maxmemory 1");
            assertThat(failure(redis.set("b", new byte[100], MINUTE))).isEqualTo(Kind.REFUSED);
            assertThat(answer(redis.get("a"))).isPresent();
        }
    }

    /** Of two nodes the one that may be written to is found. */
    @Test
    void aReplicaIsLeftForTheOtherNode() {
        try (RedisServer first = RedisServer.start();
                RedisServer second = RedisServer.start();
                Redis redis = ready(config(Bounds.DEFAULT, first.node(), second.node()))) {
            answer(redis.set("a", new byte[1], MINUTE));
            first.ask("REPLICAOF 127.0.0.1 " + second.port());
            Await.until(
                    "the other one is written to",
                    () -> !redis.set("a", new byte[1], MINUTE)
                                    .toCompletableFuture()
                                    .isCompletedExceptionally()
                            && second.ask("EXISTS a").equals(":1"));
        }
    }

    /** That is looked at where one is greeted and doesn't say anything. */
    @Test
    void whatIsSentBeforeThereIsAConnectionTimesOut() {
        Bounds bounds = with(
                with(Bounds.DEFAULT, "connectTimeoutNanos", MINUTE.toNanos()),
                "commandTimeoutNanos",
                TimeUnit.MILLISECONDS.toNanos(50));
        try (FakeRedis silent = FakeRedis.with((command, out) -> {});
                Redis redis = begun(config(bounds, silent.node()))) {
            Await.until("it is greeted", () -> !silent.commands().isEmpty());
            assertThat(failure(redis.get("a"))).isEqualTo(Kind.TIMEOUT);
            assertThat(silent.commands()).containsOnly(List.of("PING"));
        }
    }

    @Test
    void whatIsSentBeforeThereIsAConnectionIsKept() {
        Gate greeted = new Gate();
        Bounds bounds = with(
                with(Bounds.DEFAULT, "connectTimeoutNanos", MINUTE.toNanos()), "commandTimeoutNanos", MINUTE.toNanos());
        try (FakeRedis late = FakeRedis.with((command, out) -> {
                    if (command.getFirst().equals("PING")) {
                        greeted.pass();
                    }
                    out.write((command.getFirst().equals("PING") ? "+PONG\r\n" : "$-1\r\n").getBytes(UTF_8));
                });
                Redis redis = begun(config(bounds, late.node()))) {
            Await.until("it is greeted", () -> !late.commands().isEmpty());
            CompletionStage<Optional<byte[]>> early = redis.get("a");
            assertThat(reading().waitingCount()).isEqualTo(1);
            assertThat(late.commands()).containsOnly(List.of("PING"));
            greeted.release();
            assertThat(answer(early)).isEmpty();
            assertThat(late.commands()).contains(List.of("GET", "a"));
        }
    }
}
