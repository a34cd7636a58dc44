package net.oooops.sigma.cli;

/**
 * Who asks for another configuration, and for which.
 *
 * @param log as the log has it: {@code root asked for a rollback to 2}
 * @param kept as the history has it: {@code root (rollback to 2)}
 */
record Asking(String log, String kept) {
    static Asking ofReload(String who) {
        return new Asking(who + " asked for a reload", who);
    }

    static Asking ofRollback(String who, int number) {
        return new Asking(who + " asked for a rollback to " + number, who + " (rollback to " + number + ")");
    }

    /** What the log begins with where it came to nothing. */
    String refused() {
        return log + ", and all stays as it was: ";
    }
}
