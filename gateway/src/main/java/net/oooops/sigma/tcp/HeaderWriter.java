package net.oooops.sigma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import net.oooops.sigma.api.IpAddress;

/** Writes PROXY protocol headers, for a node to know which client a session is of. */
final class HeaderWriter {
    private static final byte[] V2_SIGNATURE = {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10};
    private static final int V2_BYTES_MAX = 52;
    private static final int VERSION_2_PROXY = 0x21;
    private static final int TCP_OVER_IPV4 = 0x11;
    private static final int TCP_OVER_IPV6 = 0x21;
    private static final int PORTS_BYTES = 4;

    private HeaderWriter() {}

    /** A header of version 1, to be released by whoever writes it. */
    public static ByteBuf v1(ByteBufAllocator alloc, Endpoints endpoints) {
        boolean ipv6 = isIpv6(endpoints);
        String line = "PROXY " + (ipv6 ? "TCP6 " : "TCP4 ") + text(endpoints.client(), ipv6) + " "
                + text(endpoints.local(), ipv6) + " " + endpoints.clientPort() + " " + endpoints.localPort() + "\r\n";
        byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
        return alloc.buffer(bytes.length).writeBytes(bytes);
    }

    /** The same of version 2. */
    public static ByteBuf v2(ByteBufAllocator alloc, Endpoints endpoints) {
        boolean ipv6 = isIpv6(endpoints);
        byte[] client = octets(endpoints.client(), ipv6);
        byte[] local = octets(endpoints.local(), ipv6);
        return alloc.buffer(V2_BYTES_MAX)
                .writeBytes(V2_SIGNATURE)
                .writeByte(VERSION_2_PROXY)
                .writeByte(ipv6 ? TCP_OVER_IPV6 : TCP_OVER_IPV4)
                .writeShort(client.length + local.length + PORTS_BYTES)
                .writeBytes(client)
                .writeBytes(local)
                .writeShort(endpoints.clientPort())
                .writeShort(endpoints.localPort());
    }

    /** Both ends have to be of one family: where one is of IPv6, the other is written as mapped into it. */
    private static boolean isIpv6(Endpoints endpoints) {
        return endpoints.client().ipv6() || endpoints.local().ipv6();
    }

    private static String text(IpAddress address, boolean ipv6) {
        return ipv6 && !address.ipv6() ? "::ffff:" + address.text() : address.text();
    }

    private static byte[] octets(IpAddress address, boolean ipv6) {
        byte[] octets = address.octets();
        if (!ipv6 || octets.length == 16) {
            return octets;
        }
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        System.arraycopy(octets, 0, mapped, 12, octets.length);
        return mapped;
    }
}
