package net.oooops.sigma.udp;

import java.net.InetSocketAddress;

/**
 * A socket of UDP, bound to an address of its own or connected to one node. Sending and receiving are system calls that are made at
 * once and never wait: nothing is queued on this side of the kernel. Both use the one buffer of {@link UdpSockets}: what was received
 * is there until something else is, and is sent from there.
 *
 * <p>Called on its event loop only.
 */
public abstract class UdpSocket {
    /** What {@link #receive} returns where there is no datagram. */
    public static final int NONE = -1;
    /** What {@link #receive} returns where a node said that nothing listens on its port (ICMP, RFC 1122 section 4.1.3.3). */
    public static final int REFUSED = -2;
    /** What {@link #receive} returns where there is an error, or a datagram of somebody else; others may be behind it. */
    public static final int FAILED = -3;

    /** What became of a datagram that was to be sent. */
    public enum Sent {
        /** The kernel has it. */
        YES,
        /** There is no room for it. */
        FULL,
        /** It wasn't sent: an earlier one was refused, as with {@link #REFUSED}. */
        REFUSED,
        /** The system doesn't send it: it is too long for the way, or there is no way. */
        FAILED
    }

    /** Reads a socket. */
    public interface Reader {
        /**
         * There may be something to receive. Called again where that isn't all received.
         *
         * @param socket that has it
         */
        void onReadable(UdpSocket socket);
    }

    UdpSocket() {}

    /** Receives one datagram: how many bytes it has, 0 to 65,535, or {@link #NONE}, {@link #REFUSED} or {@link #FAILED}. */
    public abstract int receive();

    /** Of a bound socket: who sent what was received last. */
    public abstract InetSocketAddress sender();

    /** Of a connected socket: sends the first {@code bytes} bytes of what was received last, on whichever socket. */
    public abstract Sent send(int bytes);

    /** Of a bound socket: as {@link #send}, to that address. */
    public abstract Sent sendTo(int bytes, InetSocketAddress to);

    /** Where it is bound to. */
    public abstract InetSocketAddress localAddress();

    /** Its number in this process; -1 where it can't be known. It stays this one's. */
    abstract int descriptor();

    /** Whether its reader is told from now on of what there is to be read. */
    abstract void read(boolean whether);

    /** Closes it: nothing more is read. */
    public abstract void close();
}
