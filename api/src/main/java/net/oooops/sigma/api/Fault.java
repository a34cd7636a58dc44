package net.oooops.sigma.api;

/**
 * Why an exchange or a session failed: the one table that maps a kind of failure to its status, its response flag in the log and its
 * counter. Flags are Envoy's short codes, where there is one. Nobody is told the status of a session.
 */
public enum Fault {
    /** The request breaks RFC 9112 or could be read in two ways. */
    BAD_REQUEST(400, "DPE", Side.DOWNSTREAM, "The request could not be understood."),
    /** The request isn't encrypted, where TLS is spoken. */
    PLAIN_HTTP(400, "DPE", Side.DOWNSTREAM, "This port speaks HTTPS: ask for a URL that begins with https."),
    /** The request's host is not one that its encrypted connection is for (RFC 9110 section 15.5.20). */
    MISDIRECTED(421, "DPE", Side.DOWNSTREAM, "The request was sent over a connection for another host."),
    /** The request line is longer than {@code limits.request-line}. */
    REQUEST_LINE_TOO_LONG(414, "DPE", Side.DOWNSTREAM, "The request target is too long."),
    /** The fields exceed one of the header limits. */
    HEADER_TOO_LARGE(431, "DPE", Side.DOWNSTREAM, "The request header fields are too large."),
    /** The body exceeds {@code limits.body} or what a plugin collects. */
    BODY_TOO_LARGE(413, "DPE", Side.DOWNSTREAM, "The request body is too large."),
    /** The method is longer than any that is known. */
    NOT_IMPLEMENTED(501, "DPE", Side.DOWNSTREAM, "The method is not known."),
    /** An HTTP version other than 1.x. */
    VERSION_NOT_SUPPORTED(505, "DPE", Side.DOWNSTREAM, "The HTTP version is not supported."),
    /** An expectation other than {@code 100-continue}. */
    EXPECTATION_FAILED(417, "DPE", Side.DOWNSTREAM, "The expectation can not be met."),
    /** The request's head or body came too slowly. */
    REQUEST_TIMEOUT(408, "SI", Side.DOWNSTREAM, "The request was not received in time."),
    /** The client went away before its answer was complete, or reset its session. */
    CLIENT_GONE(499, "DC", Side.DOWNSTREAM, "The client closed the connection."),
    /** The client doesn't take its answer. */
    CLIENT_STALLED(499, "DC", Side.DOWNSTREAM, "The client did not read the response in time."),
    /** A plugin refused the session. */
    SESSION_REFUSED(403, "PR", Side.DOWNSTREAM, "The connection is not allowed."),
    /** The session's PROXY protocol header is missing, malformed or late, or doesn't come from a trusted proxy. */
    PROXY_HEADER_REFUSED(400, "DPE", Side.DOWNSTREAM, "The PROXY protocol header was not accepted."),
    /** The session's connection isn't encrypted as it has to be, or what its client says first can't be understood. */
    HANDSHAKE_FAILED(400, "DPE", Side.DOWNSTREAM, "The connection could not be encrypted."),
    /** No byte came from either side for too long: of a session, or after a switch of protocols. */
    SESSION_IDLE(408, "SI", Side.DOWNSTREAM, "The connection was idle for too long."),
    /** The connection, whose protocol was switched, has lasted as long as it may. */
    TUNNEL_EXPIRED(408, "DT", Side.DOWNSTREAM, "The connection has lasted as long as it may."),
    /** The session was under way when the time to drain was over. */
    SESSION_CUT(503, "LR", Side.INTERNAL, "The gateway is stopping."),
    /** The request was under way when the time to drain was over. */
    REQUEST_CUT(503, "LR", Side.INTERNAL, "The gateway is stopping."),
    /** No Route matches. */
    NO_ROUTE(404, "NR", Side.DOWNSTREAM, "There is nothing here."),
    /** Routes match, but none allows the method. */
    METHOD_NOT_ALLOWED(405, "NR", Side.DOWNSTREAM, "The method is not allowed here."),
    /** Routes match, but none takes that content type. */
    UNSUPPORTED_MEDIA_TYPE(415, "NR", Side.DOWNSTREAM, "The content type is not supported here."),
    /** Routes match, but none produces what the client accepts. */
    NOT_ACCEPTABLE(406, "NR", Side.DOWNSTREAM, "Nothing acceptable can be produced here."),
    /** The request passed this gateway before. */
    LOOP_DETECTED(508, "DPE", Side.DOWNSTREAM, "The request went in a loop."),
    /** Too much at once: connections, blocking plugin calls, or what is held of messages. */
    OVERLOADED(503, "OM", Side.INTERNAL, "The gateway is overloaded."),
    /** No connection to the node could be opened: Sigma has no file descriptor left. */
    OUT_OF_DESCRIPTORS(503, "OM", Side.INTERNAL, "The gateway is overloaded."),
    /** A plugin threw, failed or took too long. */
    PLUGIN_FAILED(500, "PF", Side.INTERNAL, "The gateway could not process the request."),
    /** What a plugin made of the path would be refused from a client, too. */
    REWRITE_REFUSED(400, "PF", Side.DOWNSTREAM, "The request path could not be processed."),
    /** A fault of Sigma's own. */
    INTERNAL(500, "IE", Side.INTERNAL, "The gateway could not process the request."),
    /** The Upstream has no node to try, or none left. */
    NO_HEALTHY_NODE(503, "UH", Side.UPSTREAM, "No server is available."),
    /** A node's host name can't be resolved. */
    DNS_FAILED(503, "DF", Side.UPSTREAM, "No server is available."),
    /** The pool's wait queue is full. */
    POOL_OVERFLOW(503, "UO", Side.UPSTREAM, "Too many requests are waiting for the server."),
    /** No pooled connection became free in time. */
    POOL_TIMEOUT(503, "UO", Side.UPSTREAM, "Too many requests are waiting for the server."),
    /** As many requests wait, or are in flight, as the Upstream's breaker allows. */
    BREAKER_FULL(503, "UO", Side.UPSTREAM, "Too many requests are under way to the server."),
    /** As many requests are in flight as the Upstream takes without slowing down. */
    BREAKER_LIMITED(503, "UO", Side.UPSTREAM, "The server is busy."),
    /** Too many of the Upstream's requests failed: it is left alone for a while. */
    BREAKER_OPEN(503, "UB", Side.UPSTREAM, "The server is left alone for a while."),
    /** The node refused the connection. */
    CONNECT_FAILED(502, "UF", Side.UPSTREAM, "The server could not be reached."),
    /** The node didn't accept the connection in time. */
    CONNECT_TIMEOUT(504, "UF", Side.UPSTREAM, "The server could not be reached in time."),
    /** The node and Sigma couldn't agree on TLS, or the node's certificate isn't trusted. */
    TLS_FAILED(502, "UF", Side.UPSTREAM, "The server could not be reached securely."),
    /** The node speaks HTTP/2, and doesn't take other protocols on its streams (RFC 8441). */
    TUNNEL_UNSUPPORTED(501, "UPE", Side.UPSTREAM, "The server does not support the protocol that was asked for."),
    /** The node closed or reset the connection before its answer began, or reset the session. */
    UPSTREAM_CLOSED(502, "UC", Side.UPSTREAM, "The server closed the connection."),
    /** The node's answer breaks RFC 9112 or exceeds a limit. */
    UPSTREAM_PROTOCOL(502, "UPE", Side.UPSTREAM, "The server's response could not be understood."),
    /** The node's answer doesn't show that it has understood the handshake of a WebSocket (RFC 6455 section 4.1). */
    WEBSOCKET_ACCEPT(502, "UPE", Side.UPSTREAM, "The server's response could not be verified."),
    /** The node's answer didn't begin, or didn't go on, in time. */
    UPSTREAM_TIMEOUT(504, "UT", Side.UPSTREAM, "The server did not respond in time."),
    /** The node's answer ended before it was complete; the client sees it truncated. */
    UPSTREAM_TRUNCATED(502, "UC", Side.UPSTREAM, "The server's response was cut short.");

    /** Where a failure arose. */
    public enum Side {
        /** The client's side. */
        DOWNSTREAM,
        /** The servers' side. */
        UPSTREAM,
        /** Sigma itself. */
        INTERNAL
    }

    private final int status;
    private final String flag;
    private final Side side;
    private final String text;

    Fault(int status, String flag, Side side, String text) {
        this.status = status;
        this.flag = flag;
        this.side = side;
        this.text = text;
    }

    /** The status that the client gets, or that only the log shows where the client is gone (499). */
    public int status() {
        return status;
    }

    /** The response flag in the access log. */
    public String flag() {
        return flag;
    }

    /** Where it arose. */
    public Side side() {
        return side;
    }

    /** Whether the client isn't there any more to be answered, or doesn't take its answer. */
    public boolean isClientLost() {
        return this == CLIENT_GONE || this == CLIENT_STALLED;
    }

    /**
     * Whether a request that failed so is the last of its connection, though it can be answered: what the client sends next can't be
     * understood, or isn't wanted.
     */
    public boolean closesConnection() {
        return switch (this) {
            case BAD_REQUEST,
                    PLAIN_HTTP,
                    MISDIRECTED,
                    REQUEST_LINE_TOO_LONG,
                    HEADER_TOO_LARGE,
                    BODY_TOO_LARGE,
                    NOT_IMPLEMENTED,
                    VERSION_NOT_SUPPORTED,
                    EXPECTATION_FAILED,
                    REQUEST_TIMEOUT,
                    PROXY_HEADER_REFUSED,
                    HANDSHAKE_FAILED,
                    REQUEST_CUT,
                    LOOP_DETECTED -> true;
            default -> false;
        };
    }

    /** A sentence for the client, naming nothing of what stands behind the gateway. */
    public String text() {
        return text;
    }
}
