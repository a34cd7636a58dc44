package net.oooops.sigma.http2;

/**
 * One of the settings that a client was told, which may come to be another one. Where it is lower then, the client is right to go by the one before
 * until it has said that it knows (RFC 9113 section 6.5.3).
 *
 * <p>Called on the connection's event loop only.
 */
final class ToldSetting {
    private final Http2Input input;
    private final int key;
    private int value;
    /** What it was, or more, where the client may not know. */
    private int before;
    /** With which settings it was told. */
    private int since;

    ToldSetting(Http2Input input, int key) {
        this.input = input;
        this.key = key;
    }

    /** The first settings say that. */
    int begin(int first) {
        value = first;
        return first;
    }

    /** Tells the client that, where it is something else. */
    void follow(int now) {
        if (now != value) {
            before = allowed();
            value = now;
            since = input.tell(key, now);
        }
    }

    /** What it was told last. */
    int value() {
        return value;
    }

    /** Whether it knows of that. */
    boolean isKnown() {
        return input.areSettingsTaken(since);
    }

    /** By how much it is right to go. */
    int allowed() {
        return isKnown() ? value : Math.max(value, before);
    }
}
