package net.oooops.sigma.http1;

/**
 * What a client's connection is at. Numbers, since what is written with each request should be no reference: docs/adr/0033-collector.md.
 */
final class ServerState {
    /** No byte of a request yet. */
    static final int IDLE = 0;

    static final int HEAD = 1;
    static final int BODY = 2;
    /** The request is complete, its response isn't. */
    static final int ANSWERING = 3;
    /** The response is complete, its request isn't: what comes of it is thrown away. */
    static final int DISCARDING = 4;
    /** Bytes pass as they are: {@link ServerTunnel}. */
    static final int TUNNEL = 5;

    static final int LINGERING = 6;
    static final int CLOSED = 7;

    private ServerState() {}
}
