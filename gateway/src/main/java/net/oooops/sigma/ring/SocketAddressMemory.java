package net.oooops.sigma.ring;

import io.netty.channel.unix.Buffer;
import io.netty.util.internal.CleanableDirectBuffer;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** A socket address as the kernel reads it ({@code struct sockaddr_in} or {@code sockaddr_in6}), while a connect is under way. */
final class SocketAddressMemory {
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final int BYTES_4 = 16;
    private static final int BYTES_6 = 28;
    private static final byte[] MAPPED_4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xFF, (byte) 0xFF};

    private final CleanableDirectBuffer memory;
    private final int length;

    /** @param six whether the socket is one of IPv6, which takes IPv4's addresses mapped (RFC 4291 section 2.5.5.2) */
    SocketAddressMemory(InetSocketAddress address, boolean six) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw new UnresolvedAddressException();
        }
        if (!six && ip instanceof Inet6Address) {
            throw new UnsupportedAddressTypeException();
        }
        memory = Buffer.allocateDirectBufferWithNativeOrder(BYTES_6);
        ByteBuffer to = memory.buffer();
        for (int at = 0; at < BYTES_6; at++) {
            to.put(at, (byte) 0);
        }
        to.putShort(six ? AF_INET6 : AF_INET);
        to.order(ByteOrder.BIG_ENDIAN).putShort((short) address.getPort());
        if (six) {
            to.putInt(0);
            if (!(ip instanceof Inet6Address)) {
                to.put(MAPPED_4);
            }
        }
        to.put(ip.getAddress());
        if (ip instanceof Inet6Address scoped) {
            to.order(ByteOrder.nativeOrder()).putInt(scoped.getScopeId());
        }
        length = six ? BYTES_6 : BYTES_4;
    }

    long address() {
        return Buffer.memoryAddress(memory.buffer());
    }

    int length() {
        return length;
    }

    void release() {
        memory.clean();
    }
}
