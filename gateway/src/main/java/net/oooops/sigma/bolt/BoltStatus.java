package net.oooops.sigma.bolt;

import net.oooops.sigma.api.Fault;

/**
 * Which status a client of Bolt gets for a fault: the one that SOFABolt's own client makes the fitting exception of.
 * CLIENT_SEND_ERROR says that nothing was sent to a node, CONNECTION_CLOSED that it was and nobody knows what came of it.
 */
final class BoltStatus {
    private BoltStatus() {}

    /** Whether the status of a node's response says that the node failed, rather than what was asked of it. */
    static boolean isFailure(int status) {
        return status == Status.ERROR.code()
                || status == Status.SERVER_THREADPOOL_BUSY.code()
                || status == Status.ERROR_COMM.code()
                || status == Status.TIMEOUT.code()
                || status == Status.CONNECTION_CLOSED.code();
    }

    static Status of(Fault fault) {
        return switch (fault) {
            case NO_ROUTE -> Status.NO_PROCESSOR;
            case OVERLOADED, OUT_OF_DESCRIPTORS, POOL_OVERFLOW -> Status.SERVER_THREADPOOL_BUSY;
            case UPSTREAM_TIMEOUT -> Status.TIMEOUT;
            case NO_HEALTHY_NODE, DNS_FAILED, CONNECT_FAILED, CONNECT_TIMEOUT, TLS_FAILED -> Status.CLIENT_SEND_ERROR;
            case UPSTREAM_CLOSED, SESSION_CUT -> Status.CONNECTION_CLOSED;
            case UPSTREAM_PROTOCOL -> Status.ERROR_COMM;
            default -> Status.UNKNOWN;
        };
    }
}
