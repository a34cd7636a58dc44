package net.oooops.sigma.http2;

/**
 * How many streams a client was told that it may have at once. Where it is told of fewer, it is right to begin as many as before until it has
 * said that it knows (RFC 9113 section 6.5.3): those are refused, which isn't held against it. It is told before any of them is refused,
 * so that one that goes on with that reads nothing.
 *
 * <p>Called on the connection's event loop only.
 */
final class ToldStreams {
    private final ToldSetting most;
    /** How many more are refused to one that may not know. */
    private int excusesLeft;

    ToldStreams(Http2Input input) {
        this.most = new ToldSetting(input, Frames.MAX_CONCURRENT_STREAMS);
    }

    /** The first settings say so many. */
    int begin(int streamsMax) {
        return most.begin(streamsMax);
    }

    /** Tells it of so many, where that is something else. */
    void follow(int streamsMax) {
        if (streamsMax == most.value()) {
            return;
        }
        int before = most.isKnown() ? most.value() : Math.max(most.value(), excusesLeft);
        excusesLeft = streamsMax < before ? before : 0;
        most.follow(streamsMax);
    }

    /** One more than may be at once is refused. Whether the client may not know that. */
    boolean excuses() {
        if (excusesLeft == 0 || most.isKnown()) {
            return false;
        }
        excusesLeft--;
        return true;
    }
}
