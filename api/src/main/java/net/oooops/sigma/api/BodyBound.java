package net.oooops.sigma.api;

import org.jspecify.annotations.Nullable;

/**
 * How much of a body passes a {@link BodyTransform} that leaves it as it is.
 *
 * @param bytesMax the largest body that passes, in bytes; a larger request gets 413
 * @param tooLarge the reason for which a larger request is refused, in the place of the fault; or null
 */
public record BodyBound(long bytesMax, @Nullable Reason tooLarge) {
    /** @throws IllegalArgumentException where {@code bytesMax} is below 0 */
    public BodyBound {
        if (bytesMax < 0) {
            throw new IllegalArgumentException("bytesMax: " + bytesMax + " (expected: >= 0)");
        }
    }
}
