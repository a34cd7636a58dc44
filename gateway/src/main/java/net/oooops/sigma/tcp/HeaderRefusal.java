package net.oooops.sigma.tcp;

import java.util.Locale;

/** Why a connection that should begin with a PROXY protocol header is refused. Each is counted by itself. */
public enum HeaderRefusal {
    /** Who connected isn't a trusted proxy: nothing it says is read. */
    UNTRUSTED,
    /** What came first isn't the beginning of a header of either version. */
    ABSENT,
    /** It breaks the syntax of its version, or says something that can't be of a TCP connection. */
    MALFORMED,
    /** It is longer than its version allows or than is held of it. */
    TOO_LONG,
    /** Its bytes don't fit the CRC32C that it carries. */
    CHECKSUM,
    /** It was not complete in time. */
    LATE,
    /** The connection ended within it. */
    CUT;

    private final String label = "proxy_header_" + name().toLowerCase(Locale.ROOT);

    /** The name to count it under. */
    public String label() {
        return label;
    }
}
