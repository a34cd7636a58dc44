package net.oooops.sigma.testkit;

/**
 * How a {@link ScriptedUpstream} listens.
 *
 * @param host the address to bind; 127.0.0.1 by default
 * @param port the port to bind; 0, the default, takes a free one
 * @param receiveBufferBytes {@code SO_RCVBUF} of its connections; 0, the default, leaves it to the system
 * @param sendBufferBytes {@code SO_SNDBUF} of its connections; 0, the default, leaves it to the system
 * @param requestsKept so many requests are kept with their bytes, the first ones; all are counted; 100,000 by default
 * @param wrapping what is made of each connection that is accepted, on the connection's own thread: an encrypted one, for example; nothing
 *     else by default
 */
public record UpstreamOptions(
        String host, int port, int receiveBufferBytes, int sendBufferBytes, int requestsKept, Wrapping wrapping) {
    private static volatile Wrapping wrappingDefault = Wrapping.NONE;

    /** On a free port of 127.0.0.1. */
    public static UpstreamOptions defaults() {
        return new UpstreamOptions("127.0.0.1", 0, 0, 0, 100_000, wrappingDefault);
    }

    /** Has all that begins from now on, and names nothing else, make that of its connections: of {@link RawServer}s, too. */
    public static void wrapAll(Wrapping wrapping) {
        wrappingDefault = wrapping;
    }

    /** With another address to bind. */
    public UpstreamOptions withHost(String other) {
        return new UpstreamOptions(other, port, receiveBufferBytes, sendBufferBytes, requestsKept, wrapping);
    }

    /** With a certain port, for instance the one of an upstream that comes back. */
    public UpstreamOptions withPort(int other) {
        return new UpstreamOptions(host, other, receiveBufferBytes, sendBufferBytes, requestsKept, wrapping);
    }

    /** With another {@code SO_RCVBUF}, small for an upstream that takes a body slowly. */
    public UpstreamOptions withReceiveBufferBytes(int other) {
        return new UpstreamOptions(host, port, other, sendBufferBytes, requestsKept, wrapping);
    }

    /** With another {@code SO_SNDBUF}. */
    public UpstreamOptions withSendBufferBytes(int other) {
        return new UpstreamOptions(host, port, receiveBufferBytes, other, requestsKept, wrapping);
    }

    /** With another number of requests to keep; 0 for load. */
    public UpstreamOptions withRequestsKept(int other) {
        return new UpstreamOptions(host, port, receiveBufferBytes, sendBufferBytes, other, wrapping);
    }

    /** With something else made of its connections. */
    public UpstreamOptions withWrapping(Wrapping other) {
        return new UpstreamOptions(host, port, receiveBufferBytes, sendBufferBytes, requestsKept, other);
    }
}
