package net.oooops.sigma.control;

import org.jspecify.annotations.Nullable;

/** What there is to say where the system doesn't let the process have a port. */
final class PortRights {
    private static final int PORT_OF_ALL_MIN = 1024;

    private PortRights() {}

    /** Why a port can't be had, with what the process lacks where that is known; null where nothing is known. */
    static @Nullable String why(int port, Throwable cause) {
        String message = cause.getMessage();
        boolean denied = message != null && message.contains("Permission denied") && port < PORT_OF_ALL_MIN;
        return denied
                ? message + ": ports below " + PORT_OF_ALL_MIN + " take CAP_NET_BIND_SERVICE, which a unit of systemd"
                        + " gives by AmbientCapabilities=CAP_NET_BIND_SERVICE"
                : message;
    }
}
