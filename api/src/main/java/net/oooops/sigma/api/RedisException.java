package net.oooops.sigma.api;

/** A command that {@link Redis} gave no answer to. It has no stack: while Redis is away, many are made. */
public final class RedisException extends Exception {
    private static final long serialVersionUID = 1;

    private final Kind kind;

    /** Why there is none. */
    public enum Kind {
        /** There is no connection, or it was lost meanwhile. */
        GONE,
        /** Redis said nothing within {@code command-timeout}. */
        TIMEOUT,
        /** As many commands, or bytes of them, wait as may. */
        FULL,
        /** Redis answered with an error, which the message has. */
        REFUSED,
        /** What came was no answer, too long, or not one to that command. */
        GARBAGE
    }

    /**
     * It failed so.
     *
     * @param why in words
     */
    public RedisException(Kind kind, String why) {
        super(why, null, false, false);
        this.kind = kind;
    }

    /** Why there is no answer. */
    public Kind kind() {
        return kind;
    }
}
