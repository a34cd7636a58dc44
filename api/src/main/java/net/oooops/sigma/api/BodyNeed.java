package net.oooops.sigma.api;

import org.jspecify.annotations.Nullable;

/**
 * What a plugin needs of a body.
 *
 * @param kind nothing, each chunk as it passes, or the whole
 * @param bytesMax with {@link Kind#WHOLE} the largest body that is collected, in bytes; a larger request gets 413, a larger
 *     response becomes 502
 * @param tooLarge the reason for which a larger request is refused, in the place of the fault; or null
 */
public record BodyNeed(Kind kind, int bytesMax, @Nullable Reason tooLarge) {
    /** How much of a body. */
    public enum Kind {
        /** Nothing: the body streams by unseen. */
        NONE,
        /** Each chunk as it passes; the body streams. */
        CHUNKS,
        /** The whole body, collected before the first plugin that needs it sees the head, or for responses any. */
        WHOLE
    }

    /** Nothing of the body. */
    public static final BodyNeed NONE = new BodyNeed(Kind.NONE, 0);

    /** Each chunk as it passes. */
    public static final BodyNeed CHUNKS = new BodyNeed(Kind.CHUNKS, 0);

    /** One that gives no reason. */
    public BodyNeed(Kind kind, int bytesMax) {
        this(kind, bytesMax, null);
    }

    /** @throws IllegalArgumentException where {@code bytesMax} isn't at least 1 with {@link Kind#WHOLE}, else 0 */
    public BodyNeed {
        boolean valid = kind == Kind.WHOLE ? bytesMax >= 1 : bytesMax == 0;
        if (!valid) {
            throw new IllegalArgumentException(
                    "bytesMax: " + bytesMax + " (expected: >= 1 with WHOLE, else 0; kind is " + kind + ")");
        }
    }

    /** The whole body, of at most {@code bytesMax} bytes. */
    public static BodyNeed whole(int bytesMax) {
        return new BodyNeed(Kind.WHOLE, bytesMax);
    }

    /** The same, where what is larger of a request is refused for that reason. */
    public BodyNeed refusing(Reason why) {
        return new BodyNeed(kind, bytesMax, why);
    }
}
