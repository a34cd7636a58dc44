package net.oooops.sigma.bolt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.oooops.sigma.runtime.Generation;
import org.junit.jupiter.api.Test;

class CallTableTest {
    private final CallTable table = new CallTable();

    @SuppressWarnings("NullAway") // Nobody asks it for its flow.
    private static BoltExchange call() {
        return new BoltExchange(null, new Generation(1, 1, () -> {}).followers());
    }

    /** Beside a map of all that is under way. */
    @Test
    void findsWhatIsThereAndNothingElse() {
        Random random = new Random(3);
        Map<Integer, BoltExchange> under = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            if (under.size() < 3000 && random.nextInt(100) < 55) {
                BoltExchange x = call();
                assertThat(under.put(table.add(x), x)).isNull();
            } else if (!under.isEmpty()) {
                int id = under.keySet().iterator().next() + random.nextInt(3) - 1;
                BoltExchange expected = under.remove(id);
                assertThat(table.take(id)).isSameAs(expected);
            }
            assertThat(table.count()).isEqualTo(under.size());
        }
        under.forEach((id, x) -> assertThat(table.next()).isNotNull());
    }

    @Test
    void anIdThatWasGivenIsNotGivenAgainSoon() {
        int first = table.add(call());
        assertThat(table.take(first)).isNotNull();
        assertThat(table.take(first)).isNull();
        for (int i = 0; i < 1000; i++) {
            int id = table.add(call());
            assertThat(id).isNotEqualTo(first);
            table.take(id);
        }
        assertThat(table.take(first)).isNull();
    }

    @Test
    void aCallThatWaitsLongIsPassedOver() {
        BoltExchange longest = call();
        int id = table.add(longest);
        for (int i = 0; i < 1000; i++) {
            table.take(table.add(call()));
            table.freeId();
        }
        assertThat(table.count()).isEqualTo(1);
        assertThat(table.take(id)).isSameAs(longest);
        assertThat(table.next()).isNull();
    }
}
