package net.oooops.sigma.http1;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether what is sent on a connection arrives, as Linux tells of it (TCP_INFO): the other end's system acknowledges bytes whether or not a
 * program there reads them. Where it doesn't, and they were sent anew, there is no other end any more, or no way to it. Of a socket that another
 * event loop drives, and by other transports than epoll and io_uring, nothing is known.
 */
final class Delivery {
    private static final boolean LINUX = System.getProperty("os.name", "").startsWith("Linux");

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_STATE = 11;
    // Of struct tcp_info
    private static final int BYTES = 60;
    private static final int RETRANSMITS = 2;
    private static final int UNACKED = 24;
    private static final int LAST_ACK_RECV = 56;

    private static final RawUnixChannelOption OPTION =
            new RawUnixChannelOption("TCP_INFO", IPPROTO_TCP, TCP_STATE, BYTES);

    private Delivery() {}

    /** Whether something was sent in vain, more than once, and nothing was acknowledged for so long. */
    static boolean isStuck(Channel channel, long nanos) {
        ByteBuffer told = LINUX ? told(channel) : null;
        if (told == null || told.remaining() < BYTES) {
            return false;
        }
        told.order(ByteOrder.nativeOrder());
        int at = told.position();
        return told.get(at + RETRANSMITS) != 0
                && told.getInt(at + UNACKED) != 0
                && Integer.toUnsignedLong(told.getInt(at + LAST_ACK_RECV)) >= TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    private static @Nullable ByteBuffer told(Channel channel) {
        try {
            return channel.config().getOption(OPTION);
        } catch (ChannelException e) {
            // It is closed.
            return null;
        }
    }
}
