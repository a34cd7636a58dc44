package net.oooops.sigma.bolt;

import java.util.Locale;

/** Why bytes are refused as a frame of Bolt. Each is counted by itself; the connection they came on is closed. */
public enum FrameRefusal {
    /** The first byte is neither 1 nor 2. */
    PROTOCOL,
    /** The version byte is neither 1 nor 2. */
    VERSION,
    /** The connection spoke another form before. */
    MIXED,
    /** Neither request nor response nor one-way request. */
    TYPE,
    /** A command code that doesn't go with the type. */
    COMMAND,
    /** The version of the command isn't 1. */
    COMMAND_VERSION,
    /** The switch byte is negative. */
    SWITCH,
    /** A status that Bolt doesn't have. */
    STATUS,
    /** A length is negative. */
    LENGTH,
    /** The whole frame is longer than {@code max-frame-size}. */
    TOO_LARGE,
    /** The CRC-32 doesn't fit the bytes before it. */
    CHECKSUM,
    /** A response from a client, who was asked nothing. */
    UNASKED;

    private final String label = "bolt_" + name().toLowerCase(Locale.ROOT);

    /** The name to count it under. */
    public String label() {
        return label;
    }
}
