package net.oooops.sigma.session;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** PROXY protocol headers of version 2 as raw bytes, right ones and wrong ones. */
public final class Headers {
    private static final byte[] SIGNATURE = {13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10};

    private Headers() {}

    /** A header with that block of addresses and TLVs, and its length. */
    public static byte[] v2(int versionAndCommand, int family, byte[] rest) {
        return v2(versionAndCommand, family, rest.length, rest);
    }

    /** The same with another length. */
    static byte[] v2(int versionAndCommand, int family, int length, byte[] rest) {
        return ByteBuffer.allocate(16 + rest.length)
                .put(SIGNATURE)
                .put((byte) versionAndCommand)
                .put((byte) family)
                .putShort((short) length)
                .put(rest)
                .array();
    }

    /** Both ends' IPv4 addresses and ports. */
    public static byte[] ipv4(String client, String local, int clientPort, int localPort) {
        return addresses(client, local, clientPort, localPort);
    }

    /** Both ends' addresses of one family, and their ports. */
    public static byte[] addresses(String client, String local, int clientPort, int localPort) {
        try {
            byte[] from = InetAddress.getByName(client).getAddress();
            byte[] to = InetAddress.getByName(local).getAddress();
            return ByteBuffer.allocate(from.length + to.length + 4)
                    .put(from)
                    .put(to)
                    .putShort((short) clientPort)
                    .putShort((short) localPort)
                    .array();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** One after the other. */
    public static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** A TLV. */
    public static byte[] tlv(int type, byte... value) {
        return ByteBuffer.allocate(3 + value.length)
                .put((byte) type)
                .putShort((short) value.length)
                .put(value)
                .array();
    }

    /** A header whose last TLV is its checksum, right or not. */
    public static byte[] withChecksum(byte[] addresses, boolean right) {
        byte[] header = v2(0x21, 0x11, joined(addresses, tlv(0xE0, (byte) 1), tlv(0x03, new byte[4])));
        CRC32C crc = new CRC32C();
        crc.update(header);
        long value = right ? crc.getValue() : crc.getValue() + 1;
        ByteBuffer.wrap(header).putInt(header.length - 4, (int) value);
        return header;
    }
}
