package net.oooops.sigma.config;

/**
 * What holds for the process.
 *
 * @param transport how sockets are driven
 * @param allocator which of Netty's buffer allocators is used
 * @param receiveBufferBytes SO_RCVBUF of client and node connections, 0 for the system's own choice
 * @param sendBufferBytes SO_SNDBUF of client and node connections, 0 for the system's own choice
 */
public record RuntimeConfig(Transport transport, Allocator allocator, int receiveBufferBytes, int sendBufferBytes) {

    /** What holds where sigma.json says nothing. */
    public static final RuntimeConfig DEFAULT = new RuntimeConfig(Transport.AUTO, Allocator.POOLED, 0, 0);

    /** How sockets are driven. */
    public enum Transport {
        /** What measures best of those that work here. */
        AUTO,
        IO_URING,
        EPOLL,
        KQUEUE,
        NIO
    }

    /** Netty's buffer allocators. */
    public enum Allocator {
        ADAPTIVE,
        POOLED,
        UNPOOLED
    }
}
