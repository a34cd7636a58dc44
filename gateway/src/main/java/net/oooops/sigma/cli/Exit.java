package net.oooops.sigma.cli;

/** Exit codes: part of what the commands promise. */
final class Exit {
    /** What was asked for is done. */
    static final int OK = 0;
    /** The configuration has problems, or the gateway can't start with it. */
    static final int PROBLEMS = 1;
    /** The command line isn't understood. */
    static final int USAGE = 2;
    /** No gateway is running that could be asked. */
    static final int NONE = 3;
    /** Ended by a second Ctrl-C, as shells number it: 128 and the signal's 2. */
    static final int INTERRUPTED = 130;
    /** SIGTERM. */
    private static final int TERMINATED = 143;
    /** SIGHUP. */
    private static final int HUNG_UP = 129;

    /** What a process ends with that a signal has ended. */
    static int ofSignal(String name) {
        return switch (name) {
            case "INT" -> INTERRUPTED;
            case "HUP" -> HUNG_UP;
            default -> TERMINATED;
        };
    }

    private Exit() {}
}
