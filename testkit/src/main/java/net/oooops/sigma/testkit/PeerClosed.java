package net.oooops.sigma.testkit;

import java.io.IOException;

/** The connection ended where more was expected; how, is its {@link #end()}. */
final class PeerClosed extends IOException {
    private static final long serialVersionUID = 1L;

    private final ConnectionEnd end;

    PeerClosed(ConnectionEnd end) {
        super("connection ended: " + end);
        this.end = end;
    }

    ConnectionEnd end() {
        return end;
    }

    /** What it means for a body that was not complete yet. */
    BodyEnd bodyEnd() {
        return switch (end) {
            case CLOSED_BY_PEER -> BodyEnd.CUT_BY_CLOSE;
            case RESET_BY_PEER -> BodyEnd.CUT_BY_RESET;
            case OPEN, CLOSED_HERE, RESET_HERE -> BodyEnd.CUT_HERE;
        };
    }
}
