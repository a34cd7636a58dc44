package net.oooops.sigma.testkit;

/** How a body ended (RFC 9112 section 6.3). */
public enum BodyEnd {
    /** There is none by the message's kind or by its framing. */
    NONE(true),
    /** All bytes that Content-Length announced came. */
    LENGTH(true),
    /** The last chunk and the trailers came. */
    CHUNKED(true),
    /** The response had no length, and the peer closed with a FIN. */
    CLOSE(true),
    /** The peer closed with a FIN before the body was complete. */
    CUT_BY_CLOSE(false),
    /** The peer reset the connection before the body was complete. */
    CUT_BY_RESET(false),
    /** The connection was closed on this side before the body was complete. */
    CUT_HERE(false),
    /** Not read to its end yet. */
    UNREAD(false);

    private final boolean complete;

    BodyEnd(boolean complete) {
        this.complete = complete;
    }

    /** Whether the whole message came. */
    public boolean complete() {
        return complete;
    }

    /** Whether the connection ended before the body did. */
    public boolean truncated() {
        return this == CUT_BY_CLOSE || this == CUT_BY_RESET || this == CUT_HERE;
    }
}
