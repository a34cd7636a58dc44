package net.oooops.sigma.interop;

import java.util.Locale;

/** The ways in which the gateway takes Bolt to its nodes. */
enum Mode {
    /** As bytes, a client's connection on one of its own. */
    RELAY,

    /** Each call by itself. */
    ROUTE;

    /** The id of its listener, see {@link SigmaJson#everyMode(Node...)}. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
