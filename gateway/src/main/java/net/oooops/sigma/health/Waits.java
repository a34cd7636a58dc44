package net.oooops.sigma.health;

import java.util.function.DoubleSupplier;
import net.oooops.sigma.config.ActiveCheckConfig.Rhythm;

/** How long it is from the beginning of one check of a node to the next. */
final class Waits {
    private final Rhythm rhythm;
    private final DoubleSupplier chance;

    /** @param chance gives numbers of at least 0 and less than 1 */
    Waits(Rhythm rhythm, DoubleSupplier chance) {
        this.rhythm = rhythm;
        this.chance = chance;
    }

    /** How long it is this time, nanoseconds. */
    long next(boolean healthy) {
        long nanos = healthy ? rhythm.intervalNanos() : rhythm.unhealthyIntervalNanos();
        double part = rhythm.jitterPercent() / 100.0;
        return Math.round(nanos * (1 - part + 2 * part * chance.getAsDouble()));
    }
}
