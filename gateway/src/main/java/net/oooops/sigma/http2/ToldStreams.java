package net.oooops.sigma.http2;

/**
 * How many streams a client was told that it may have at once. Where it is told of fewer, it is right to begin as many as before until it has
 * said that it knows (RFC 9113 section 6.5.3): those are refused, which isn't held against it. It is told before any of them is refused,
 * so that one that goes on with that reads nothing.
 *
 * <p>Called on the connection's event loop only.
 */
final class ToldStreams {
    private final Http2Input input;
    private int most;
    /** With which settings it was told. */
    private int since;
    /** How many more are refused to one that may not know. */
    private int excusesLeft;

    ToldStreams(Http2Input input) {
        this.input = input;
    }

    /** The first settings say so many. */
    int begin(int streamsMax) {
        most = streamsMax;
        return streamsMax;
    }

    /** Tells it of so many, where that is something else. */
    void follow(int streamsMax) {
        if (streamsMax == most) {
            return;
        }
        int before = isKnown() ? most : Math.max(most, excusesLeft);
        excusesLeft = streamsMax < before ? before : 0;
        most = streamsMax;
        since = input.tell(Frames.MAX_CONCURRENT_STREAMS, streamsMax);
    }

    private boolean isKnown() {
        return input.areSettingsTaken(since);
    }

    /** One more than may be at once is refused. Whether the client may not know that. */
    boolean excuses() {
        if (excusesLeft == 0 || isKnown()) {
            return false;
        }
        excusesLeft--;
        return true;
    }
}
