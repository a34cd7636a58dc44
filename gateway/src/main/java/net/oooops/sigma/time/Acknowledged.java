package net.oooops.sigma.time;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * How much of what was sent over a TCP connection its peer has acknowledged, as Linux knows it (TCP_INFO). What is sent again, or only asks whether a
 * closed window is open, adds nothing: a peer that is gone, or reads nothing, acknowledges nothing new.
 *
 * @param bytes acknowledged since the connection was opened
 * @param waitingBytes written to the kernel, and not acknowledged yet
 */
record Acknowledged(long bytes, long waitingBytes) {
    // Of Linux: netinet/in.h, linux/tcp.h. Netty's own view of TCP_INFO ends before these.
    private static final int IPPROTO_TCP = 6;
    private static final int STATE_OF_TCP = 11;
    private static final int AT_BYTES_ACKED = 120;
    private static final int AT_NOTSENT_BYTES = 144;
    private static final int AT_BYTES_SENT = 200;
    private static final int AT_BYTES_RETRANS = 208;
    private static final int BYTES = 216;

    private static final boolean LINUX = System.getProperty("os.name", "").startsWith("Linux");

    /**
     * Asks the kernel: a system call. On the channel's event loop.
     *
     * @return null where it can't be asked: elsewhere than on Linux, of a channel of NIO, which doesn't show its descriptor, and of one that is closed. Linux
     *     before 4.19 says that nothing waits.
     */
    static @Nullable Acknowledged of(Channel channel) {
        if (!LINUX
                || !(channel instanceof UnixChannel open)
                || !(open.fd() instanceof Socket socket)
                || !socket.isOpen()) {
            return null;
        }
        ByteBuffer told = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
        try {
            socket.getRawOpt(IPPROTO_TCP, STATE_OF_TCP, told);
        } catch (IOException | ChannelException _) {
            // Netty has the second for all errors but that of a closed one, such as of a socket that isn't of TCP.
            return null;
        }
        long bytes = told.getLong(AT_BYTES_ACKED);
        long sent = told.getLong(AT_BYTES_SENT) - told.getLong(AT_BYTES_RETRANS);
        long unsent = Integer.toUnsignedLong(told.getInt(AT_NOTSENT_BYTES));
        return new Acknowledged(bytes, Math.max(0, unsent + sent - bytes));
    }
}
