package net.oooops.sigma.config;

/**
 * What holds for the process.
 *
 * @param transport how sockets are driven
 * @param threadModel which event loops drive the sockets to nodes
 * @param allocator which of Netty's buffer allocators is used
 * @param receiveBufferBytes SO_RCVBUF of client and node connections, 0 for the system's own choice
 * @param sendBufferBytes SO_SNDBUF of client and node connections, 0 for the system's own choice
 * @param memory what may be held of messages
 * @param dns how names of nodes are resolved
 */
public record RuntimeConfig(
        Transport transport,
        ThreadModel threadModel,
        Allocator allocator,
        int receiveBufferBytes,
        int sendBufferBytes,
        Memory memory,
        DnsConfig dns) {

    /** One of which nothing is said of names. */
    public RuntimeConfig(
            Transport transport,
            ThreadModel threadModel,
            Allocator allocator,
            int receiveBufferBytes,
            int sendBufferBytes,
            Memory memory) {
        this(transport, threadModel, allocator, receiveBufferBytes, sendBufferBytes, memory, DnsConfig.DEFAULT);
    }

    /** What holds where sigma.json says nothing. */
    public static final RuntimeConfig DEFAULT =
            new RuntimeConfig(Transport.AUTO, ThreadModel.REUSE_SERVER_THREAD, Allocator.POOLED, 0, 0, Memory.DEFAULT);

    /**
     * What may be held of messages, over all Workers and shared out among them.
     *
     * @param relayBytesMax bytes of HTTP and of TCP sessions that wait to be sent; beyond, connections are read a little at a time, and not
     *     while anything of theirs waits
     * @param callBytesMax bytes of Bolt's frames that aren't whole or wait to be sent; beyond, the clients that hold the most are reset
     * @param bodyBytesMax bytes of bodies that are collected whole; beyond, the exchanges that hold the most fail
     * @param headBytesMax bytes of heads of requests; beyond, requests with large ones are refused
     */
    public record Memory(int relayBytesMax, int callBytesMax, int bodyBytesMax, int headBytesMax) {
        /** So much of the heap is for heads. */
        private static final int HEAP_PART = 4;

        /** What holds where sigma.json says nothing. */
        public static final Memory DEFAULT = new Memory(32 << 20, 32 << 20, 32 << 20);

        /** The same with what the heap has room for of heads. */
        public Memory(int relayBytesMax, int callBytesMax, int bodyBytesMax) {
            this(relayBytesMax, callBytesMax, bodyBytesMax, partOfHeap());
        }

        private static int partOfHeap() {
            return (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / HEAP_PART);
        }
    }

    /** How sockets are driven. */
    public enum Transport {
        /** The first of a fixed order that works here. */
        AUTO,
        IO_URING,
        EPOLL,
        KQUEUE,
        NIO
    }

    /** Which event loops drive the sockets to nodes. */
    public enum ThreadModel {
        /** The event loop of the client's connection. */
        REUSE_SERVER_THREAD,
        /** Any of the event loops that drive clients' connections. */
        REUSE_SERVER_GROUP,
        /** Event loops of their own, as many. */
        INDIVIDUAL_GROUP
    }

    /** Netty's buffer allocators. */
    public enum Allocator {
        ADAPTIVE,
        POOLED,
        UNPOOLED
    }
}
