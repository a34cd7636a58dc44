package net.oooops.sigma.tcp;

import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.upstream.Node;

/** A Node of TCP on one Worker: a connection for each session. */
final class TcpNode extends WorkerNode {
    private int sessions;

    TcpNode(Place place, Node node) {
        super(place, node);
    }

    @Override
    public void publish() {
        gauges().set(sessions, 0, 0);
        if (sessions > 0) {
            connector().refresh();
        }
    }

    /** Opens the session's connection. */
    void enter(TcpSession session) {
        sessions++;
        session.report.begin(this, session.attempts == 1);
        session.hasNodeSocket = true;
        connector().connect(session);
    }

    /** The session no longer needs its connection, or couldn't get one. */
    void leave(TcpSession session) {
        sessions--;
        session.report.end(this);
    }
}
