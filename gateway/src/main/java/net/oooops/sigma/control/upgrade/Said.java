package net.oooops.sigma.control.upgrade;

import java.time.Duration;

/**
 * What the two processes say to each other, in this order. Whoever ends, in whichever way, is noticed by the other one at once.
 *
 * <pre>
 *   new: {"hello": "0.3.0", "protocol": 1, "pid": N}
 *   old: {"protocol": 1, "first": "N T", "listeners": ["http", "udp"], "plugins": [...]}, then a descriptor for each of the listeners
 *   new: {"ready": true}       once it has been asked something of its own and has answered
 *   old: {"yours": true, "nodes": [...], "log_levels": {...}, "hosts": {...}, "services": {...}}  once it has let go of what only one may have
 *   new: {"serving": true}
 *   new: {"nodes": [...], "log_levels": {...}}  all that operators have said: at once, and each time that it changes
 *   new: {"ended": "stop"}, or {"ended": "upgrade"} once another one serves in its place
 * </pre>
 *
 * In place of {@code ready} or {@code serving}: {@code {"failed": "why"}}. From {@code serving} on, what isn't understood is said by another version, and left alone.
 */
final class Said {
    /** Another number where an older process couldn't follow. */
    static final int VERSION = 1;

    static final String PROTOCOL = "protocol";
    static final String HELLO = "hello";
    static final String PID = "pid";
    /** The first of all processes that have followed each other: its number, and when it was started. */
    static final String FIRST = "first";

    /** What plugins leave to those of the new process. */
    static final String PLUGINS = "plugins";

    static final String LISTENERS = "listeners";
    static final String NODES = "nodes";
    static final String LOG_LEVELS = "log_levels";
    static final String HOSTS = "hosts";
    static final String SRV = "services";
    static final String READY = "ready";
    static final String YOURS = "yours";
    static final String SERVING = "serving";
    /** Beside it: why commands don't reach the new process. */
    static final String UNREACHABLE = "unreachable";

    static final String ENDED = "ended";
    static final String STOP = "stop";
    static final String UPGRADE = "upgrade";
    static final String FAILED = "failed";

    /** The path of the socket, in the environment of the new process. */
    static final String ENVIRONMENT = "SIGMA_UPGRADE";

    /** For what takes no time. */
    static final Duration SOON = Duration.ofSeconds(10);

    private Said() {}
}
