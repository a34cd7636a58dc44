package net.oooops.sigma.ring;

import io.netty.channel.uring.IoUringIoOps;

/**
 * The operations that are used here, and what their completions say. Numbers and meaning: {@code linux/io_uring.h} and
 * io_uring_enter(2).
 */
final class Op {
    static final byte POLL_ADD = 6;
    static final byte SENDMSG = 9;
    static final byte ACCEPT = 13;
    static final byte CONNECT = 16;
    static final byte SEND = 26;
    static final byte RECV = 27;
    private static final byte ASYNC_CANCEL = 14;
    private static final byte PROVIDE_BUFFERS = 31;

    /** The operation was cancelled. */
    static final int ECANCELED = -125;
    /** The kernel waits no longer for this operation, which may be begun again. */
    static final int EAGAIN = -11;
    /** A signal came, such as those that stop and resume a process: the operation may be begun again. */
    static final int EINTR = -4;
    /** The group has no buffer left. */
    static final int ENOBUFS = -105;

    private static final byte BUFFER_SELECT = 1 << 5;
    private static final short POLL_FIRST = 1;
    private static final short MULTISHOT = 1 << 1;
    private static final int NO_SIGNAL = 0x4000;
    private static final int POLLIN = 1;
    private static final byte PLAIN = 0;
    private static final short NONE = 0;

    private static final int HAS_BUFFER = 1;
    private static final int MORE_COMPLETIONS = 1 << 1;
    private static final int SOCKET_NOT_EMPTY = 1 << 2;
    private static final int BUFFER_SHIFT = 16;

    private Op() {}

    /** Receives until it is cancelled, ends or fails, each time into a buffer of {@code group}. */
    static IoUringIoOps receiveAll(int socket, short group) {
        return receive(socket, group, MULTISHOT);
    }

    /**
     * Receives once, into a buffer of {@code group}.
     *
     * @param mayHaveCome whether bytes may be there already: it is tried at once, not only when the socket says so
     */
    static IoUringIoOps receiveOnce(int socket, short group, boolean mayHaveCome) {
        return receive(socket, group, mayHaveCome ? 0 : POLL_FIRST);
    }

    /** The same into the {@code length} bytes at {@code address}, which belong to no group. */
    static IoUringIoOps receiveInto(int socket, long address, int length, boolean mayHaveCome) {
        short how = mayHaveCome ? 0 : POLL_FIRST;
        return new IoUringIoOps(RECV, PLAIN, how, socket, 0, address, length, 0, 0L, NONE, NONE, 0, 0);
    }

    private static IoUringIoOps receive(int socket, short group, short how) {
        return new IoUringIoOps(RECV, BUFFER_SELECT, how, socket, 0, 0, 0, 0, 0L, group, NONE, 0, 0);
    }

    /** Sends some of {@code length} bytes at {@code address}, as soon as the socket takes any. */
    static IoUringIoOps send(int socket, long address, int length) {
        return new IoUringIoOps(SEND, PLAIN, NONE, socket, 0, address, length, NO_SIGNAL, 0L, NONE, NONE, 0, 0);
    }

    /** Sends some of what the {@code struct msghdr} at {@code header} names. It is read when the operation is submitted. */
    static IoUringIoOps sendMessage(int socket, long header) {
        return new IoUringIoOps(SENDMSG, PLAIN, NONE, socket, 0, header, 1, NO_SIGNAL, 0L, NONE, NONE, 0, 0);
    }

    /** Connects to the {@code struct sockaddr} at {@code address}. */
    static IoUringIoOps connect(int socket, long address, int length) {
        return new IoUringIoOps(CONNECT, PLAIN, NONE, socket, length, address, 0, 0, 0L, NONE, NONE, 0, 0);
    }

    /** Completes once there is something to take from {@code socket}, or it has failed: at once where that is so already. */
    static IoUringIoOps pollIn(int socket) {
        return new IoUringIoOps(POLL_ADD, PLAIN, NONE, socket, 0, 0, 0, POLLIN, 0L, NONE, NONE, 0, 0);
    }

    /** Cancels the operation whose submission returned {@code submitted}. */
    static IoUringIoOps cancel(long submitted) {
        return new IoUringIoOps(ASYNC_CANCEL, PLAIN, NONE, -1, 0, submitted, 0, 0, 0L, NONE, NONE, 0, 0);
    }

    /** Gives {@code count} buffers of {@code bytes} bytes, one behind the other in memory, to a group. */
    static IoUringIoOps provide(short group, long address, int bytes, int firstId, int count) {
        return new IoUringIoOps(PROVIDE_BUFFERS, PLAIN, NONE, count, firstId, address, bytes, 0, 0L, group, NONE, 0, 0);
    }

    /** Whether a completion took a buffer out of its group: {@link #buffer}. */
    static boolean hasBuffer(int flags) {
        return (flags & HAS_BUFFER) != 0;
    }

    /** The id of the buffer that a completion took. */
    static int buffer(int flags) {
        return flags >>> BUFFER_SHIFT;
    }

    /** Whether an operation that failed so says nothing of its socket, and may be begun again. */
    static boolean isToRepeat(int result) {
        return result == EAGAIN || result == EINTR;
    }

    /** Whether the same operation will have further completions. */
    static boolean isArmed(int flags) {
        return (flags & MORE_COMPLETIONS) != 0;
    }

    /** Whether there was more to receive. */
    static boolean mayHaveMore(int flags) {
        return (flags & SOCKET_NOT_EMPTY) != 0;
    }
}
