package net.oooops.sigma.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.ActiveCheckConfig.Rhythm;
import net.oooops.sigma.health.CheckView.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When checks make a difference, and how long it is between them. */
class StandingTest {

    /** Plays checks, {@code +} passed and {@code -} failed, and shows after each the state: {@code H}, {@code U}; in lower case without a change. */
    private static String play(Standing standing, String checks) {
        StringBuilder states = new StringBuilder();
        for (int i = 0; i < checks.length(); i++) {
            boolean changed = standing.count(checks.charAt(i) == '+');
            char state = standing.state() == State.HEALTHY ? 'H' : 'U';
            states.append(changed ? state : Character.toLowerCase(state));
        }
        return states.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "+,          H",
        "-,          U",
        "+--+---,    HhhhhhU",
        "+--+--+--,  Hhhhhhhhh",
        "-+-+-++,    UuuuuuH",
        "+---++---,  HhhUuHhhU",
    })
    void countsInARowDecideTheFirstAlone(String checks, String states) {
        assertThat(play(new Standing(2, 3), checks)).isEqualTo(states);
    }

    @Test
    void withOneEachCheckDecides() {
        assertThat(play(new Standing(1, 1), "+-+--++")).isEqualTo("HUHUuHh");
    }

    @Test
    void nothingIsKnownBeforeTheFirst() {
        assertThat(new Standing(1, 1).state()).isEqualTo(State.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({
        "0.0, 10, 4500, 900",
        "0.5, 10, 5000, 1000",
        "0.999999999999, 10, 5500, 1100",
        "0.0, 50, 2500, 500",
        "0.3, 0, 5000, 1000"
    })
    void waitsAreLongerOrShorterByTheJitter(
            double chance, int jitterPercent, long healthyMillis, long unhealthyMillis) {
        Rhythm rhythm = new Rhythm(
                TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(1), jitterPercent);
        Waits waits = new Waits(rhythm, () -> chance);
        assertThat(waits.next(true)).isBetween(nanos(healthyMillis) - 10, nanos(healthyMillis));
        assertThat(waits.next(false)).isBetween(nanos(unhealthyMillis) - 10, nanos(unhealthyMillis));
    }

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
