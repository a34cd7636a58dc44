package net.oooops.sigma.plugins.limits;

import static net.oooops.sigma.redis.Asked.answer;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.redis.RedisClients;
import net.oooops.sigma.redis.RedisServer;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The script, in a real Redis. Its limits are an hour long: the test takes no time beside that. */
class LeaseScriptTest {
    private static final Rate HUNDRED =
            Rate.of("1h", 100, Duration.ofHours(1), 100).inSteps(LeaseScript.UNIT_NANOS);
    private static final Rate FIFTY =
            Rate.of("day", 50, Duration.ofHours(24), 50).inSteps(LeaseScript.UNIT_NANOS);

    private final RedisServer server = RedisServer.start();
    private final RedisClients clients = new RedisClients();
    private final Redis redis = clients.open("r");

    @BeforeEach
    void begin() {
        clients.begin(List.of(server.config("r")));
    }

    @AfterEach
    void stop() {
        redis.close();
        server.close();
    }

    private LeaseScript.Answer ask(LeaseScript script, long want, long debt) {
        List<Long> numbers = answer(script.ask(redis, "key", want, debt));
        return Objects.requireNonNull(script.read(numbers, want));
    }

    private static long tokens(Rate rate, long awayNanos) {
        return Math.ceilDiv(awayNanos, rate.tokenNanos());
    }

    @Test
    void itGivesWhatThereIsAndTakesWhatIsOwed() {
        LeaseScript script = new LeaseScript("a", new Rate[] {HUNDRED}, 1);
        LeaseScript.Answer first = ask(script, 60, 0);
        assertThat(first.tokens()).isEqualTo(60);
        assertThat(tokens(HUNDRED, first.awayNanos().getFirst())).isEqualTo(60);
        LeaseScript.Answer rest = ask(script, 60, 10);
        assertThat(rest.tokens()).isEqualTo(30);
        assertThat(tokens(HUNDRED, rest.awayNanos().getFirst())).isEqualTo(100);
        LeaseScript.Answer none = ask(script, 60, 7);
        assertThat(none.tokens()).isZero();
        assertThat(tokens(HUNDRED, none.awayNanos().getFirst())).isEqualTo(107);
        assertThat(Long.parseLong(
                        server.ask("PTTL sigma:limit:{a:key}:1h:3600000").substring(1)))
                .isBetween(3_600_000L, 3_860_000L);
    }

    /** What was taken last may be given back; once somebody has taken more, it may not, as that one's would be there sooner than he was told. */
    @Test
    void whatWasTakenLastMayBeGivenBack() {
        LeaseScript script = new LeaseScript("a", new Rate[] {HUNDRED, FIFTY}, 1);
        LeaseScript.Answer first = ask(script, 20, 0);
        script.giveBack(redis, "key", 15, first.fullUnits());
        LeaseScript.Answer second = ask(script, 10, 0);
        assertThat(tokens(HUNDRED, second.awayNanos().getFirst())).isEqualTo(15);
        assertThat(tokens(FIFTY, second.awayNanos().getLast())).isEqualTo(15);
        LeaseScript.Answer third = ask(script, 10, 0);
        script.giveBack(redis, "key", 10, second.fullUnits());
        script.giveBack(redis, "key", 10, first.fullUnits());
        assertThat(tokens(HUNDRED, ask(script, 0, 0).awayNanos().getFirst())).isEqualTo(25);
        script.giveBack(redis, "key", 100, third.fullUnits());
        assertThat(tokens(HUNDRED, ask(script, 0, 0).awayNanos().getFirst())).isZero();
    }

    /** The bucket is asked for no more than there is, and the connections are closed at once. */
    @Test
    void whatIsGivenBackAtTheEndReachesRedis() {
        RedisClients others = new RedisClients();
        Redis mine = others.open("r");
        others.begin(List.of(server.config("r")));
        LeaseScript script = new LeaseScript("a", new Rate[] {HUNDRED}, 1);
        List<Long> numbers = answer(script.ask(mine, "key", 60, 0));
        LeaseScript.Answer taken = Objects.requireNonNull(script.read(numbers, 60));
        script.giveBack(mine, "key", 60, taken.fullUnits());
        mine.close();
        Await.until("it to be there", () -> ask(script, 0, 0).awayNanos().getFirst() == 0);
    }

    /** All limits are asked in one step, and each has what the least of them gives. Others, and other keys, are none of it. */
    @Test
    void severalLimitsGiveTheLeast() {
        LeaseScript both = new LeaseScript("a", new Rate[] {HUNDRED, FIFTY}, 3);
        LeaseScript.Answer answer = ask(both, 99, 0);
        assertThat(answer.tokens()).isEqualTo(48);
        assertThat(tokens(HUNDRED, answer.awayNanos().getFirst())).isEqualTo(48);
        assertThat(tokens(FIFTY, answer.awayNanos().getLast())).isEqualTo(48);
        assertThat(server.ask("DBSIZE")).isEqualTo(":2");
        assertThat(ask(new LeaseScript("b", new Rate[] {FIFTY}, 1), 99, 0).tokens())
                .isEqualTo(50);
        assertThat(answer(both.ask(redis, "other", 3, 0)).getFirst()).isEqualTo(3);
    }

    /** Somebody has put something else there, or set the clock back: a bucket lacks one bucket at most, and is no more than full. */
    @Test
    void whatLiesThereIsBounded() {
        LeaseScript script = new LeaseScript("a", new Rate[] {HUNDRED}, 1);
        server.ask("SET sigma:limit:{a:key}:1h:3600000 nonsense");
        assertThat(ask(script, 10, 0).tokens()).isEqualTo(10);
        server.ask("SET sigma:limit:{a:key}:1h:3600000 0");
        assertThat(tokens(HUNDRED, ask(script, 10, 0).awayNanos().getFirst())).isEqualTo(10);
        server.ask("SET sigma:limit:{a:key}:1h:3600000 8000000000000000");
        assertThat(tokens(HUNDRED, ask(script, 10, 0).awayNanos().getFirst())).isEqualTo(200);
    }

    @Test
    void otherAnswersAreNone() {
        LeaseScript script = new LeaseScript("a", new Rate[] {HUNDRED}, 1);
        for (List<Long> wrong : List.of(
                List.<Long>of(),
                List.of(1L),
                List.of(1L, 2L),
                List.of(1L, 2L, 3L, 9L),
                List.of(-1L, 2L, 9L),
                List.of(6L, 2L, 9L),
                List.of(1L, -2L, 9L))) {
            assertThat(script.read(wrong, 5)).isNull();
        }
        assertThat(script.read(List.of(1L, Long.MAX_VALUE, 9L), 5)).isNull();
        assertThat(script.read(List.of(5L, 2L, 9L), 5)).isNotNull();
    }
}
