package net.oooops.sigma.health;

import net.oooops.sigma.health.CheckView.State;

/**
 * Counts the checks of one node, and says when they make a difference.
 *
 * <pre>
 *   UNKNOWN ── the first check ──▶ HEALTHY ── so many failed in a row ──▶ UNHEALTHY
 *                                     ◀────── so many passed in a row ───────┘
 * </pre>
 */
final class Standing {
    private final int healthyCount;
    private final int unhealthyCount;
    private State state = State.UNKNOWN;
    /** How many in a row speak against the state. */
    private int against;

    Standing(int healthyCount, int unhealthyCount) {
        this.healthyCount = healthyCount;
        this.unhealthyCount = unhealthyCount;
    }

    State state() {
        return state;
    }

    /**
     * Counts one more check.
     *
     * @return whether the state is another now
     */
    boolean count(boolean passed) {
        State spoken = passed ? State.HEALTHY : State.UNHEALTHY;
        if (state == spoken) {
            against = 0;
            return false;
        }
        against++;
        if (state != State.UNKNOWN && against < (passed ? healthyCount : unhealthyCount)) {
            return false;
        }
        state = spoken;
        against = 0;
        return true;
    }
}
