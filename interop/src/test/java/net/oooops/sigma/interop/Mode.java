package net.oooops.sigma.interop;

import java.util.Locale;

/** The ways in which the gateway takes Bolt to its nodes. */
enum Mode {
    /** As bytes of any protocol. */
    TCP;

    /** The id of its listener, see {@link SigmaJson#everyMode}. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
