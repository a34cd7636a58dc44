package net.oooops.sigma.http2;

import org.jspecify.annotations.Nullable;

/** A connection as its control frames see it, whichever side of it Sigma is. Called on the connection's event loop only. */
interface Http2Connection {
    /** Whether frames are still looked at. */
    boolean isReading();

    /** A frame came that carries nothing. */
    void countFrame();

    /** The stream of that number, if it is open. */
    @Nullable Http2Stream stream(int id);

    /** All streams that are open. */
    Iterable<? extends Http2Stream> streams();

    /** Whether no stream of that number was ever there. */
    boolean isIdle(int id);

    /** What the peer sent is wrong, or too much: nothing more of it is read. */
    void fail(Http2Error why, String reason);

    /** The stream is over, for what the peer sent on it. */
    void breakOff(Http2Stream stream, Http2Error why);

    /** The peer has ended the stream, for the reason of that code. */
    void onReset(Http2Stream stream, int code);

    /** The peer's first settings are known, or others are. */
    void onSettings();

    /** The window of all its streams isn't held back any more. */
    void onReleased();

    /** A PING that measures is sent. */
    void onMeasure();

    /** A PING has come back. */
    void onPong(long content);

    /** The peer looks at no streams beyond that one. */
    void onGoAway(int lastId);
}
