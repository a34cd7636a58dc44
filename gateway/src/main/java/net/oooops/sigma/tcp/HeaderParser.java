package net.oooops.sigma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Reads a PROXY protocol header, version 1 or 2, as HAProxy's proxy-protocol.txt has them. Strict: what two readers could take
 * for different addresses is refused. Called again with the same bytes and those that came since, until it is done.
 *
 * <pre>
 *   first byte ─▶ P ─▶ line up to CRLF, at most 107 bytes ─▶ DONE
 *              └▶ \r ─▶ signature, 16 bytes, the length they give ─▶ DONE
 *   any ─▶ REFUSED, at the first byte that can't be right
 * </pre>
 */
final class HeaderParser {
    /** How far it came. */
    enum Step {
        MORE,
        DONE,
        REFUSED
    }

    /** The most that is held of a header. Version 2 could be longer by its TLVs; those that are in use are far from it. */
    static final int BYTES_MAX = 8192;

    private static final int V1_BYTES_MAX = 107;
    private static final byte[] V1_BEGIN = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] V2_BEGIN = {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10};
    private static final int V2_FIXED_BYTES = 16;

    private static final int VERSION_2 = 2;
    private static final int COMMAND_LOCAL = 0;
    private static final int COMMAND_PROXY = 1;
    private static final int UNSPECIFIED = 0x00;
    private static final int TCP_OVER_IPV4 = 0x11;
    private static final int TCP_OVER_IPV6 = 0x21;
    private static final int UNIX_STREAM = 0x31;
    private static final int UNIX_BYTES = 216;

    private static final int TLV_CRC32C = 0x03;
    private static final int TLV_FIXED_BYTES = 3;
    private static final int CRC_BYTES = 4;
    private static final int PORT_MAX = 65535;

    private @Nullable Endpoints endpoints;
    private HeaderRefusal refusal = HeaderRefusal.MALFORMED;

    /** The ends of the client's connection, or null where the header says that those of its own connection count. */
    @Nullable Endpoints endpoints() {
        return endpoints;
    }

    /** Why it was refused. */
    HeaderRefusal refusal() {
        return refusal;
    }

    /** Reads what there is of a header; where it is done, {@code in} stands behind it, else where it stood. */
    Step parse(ByteBuf in) {
        if (!in.isReadable()) {
            return Step.MORE;
        }
        byte[] begin = in.getByte(in.readerIndex()) == V1_BEGIN[0] ? V1_BEGIN : V2_BEGIN;
        int known = Math.min(begin.length, in.readableBytes());
        for (int i = 0; i < known; i++) {
            if (in.getByte(in.readerIndex() + i) != begin[i]) {
                return refuse(HeaderRefusal.ABSENT);
            }
        }
        if (known < begin.length) {
            return Step.MORE;
        }
        return begin == V1_BEGIN ? parseV1(in) : parseV2(in);
    }

    private Step refuse(HeaderRefusal why) {
        refusal = why;
        return Step.REFUSED;
    }

    private Step parseV1(ByteBuf in) {
        int start = in.readerIndex();
        int known = Math.min(in.readableBytes(), V1_BYTES_MAX);
        int lineFeed = in.indexOf(start, start + known, (byte) '\n');
        if (lineFeed < 0) {
            return known == V1_BYTES_MAX ? refuse(HeaderRefusal.TOO_LONG) : Step.MORE;
        }
        if (in.getByte(lineFeed - 1) != '\r') {
            return refuse(HeaderRefusal.MALFORMED);
        }
        String words = in.toString(
                start + V1_BEGIN.length, lineFeed - 1 - start - V1_BEGIN.length, StandardCharsets.ISO_8859_1);
        in.readerIndex(lineFeed + 1);
        // Whatever follows UNKNOWN is to be ignored.
        if (words.equals("UNKNOWN") || words.startsWith("UNKNOWN ")) {
            return Step.DONE;
        }
        String[] parts = words.split(" ", -1);
        endpoints = parts.length == 5 ? endpoints(parts) : null;
        return endpoints == null ? refuse(HeaderRefusal.MALFORMED) : Step.DONE;
    }

    private static @Nullable Endpoints endpoints(String[] parts) {
        IpAddress client = address(parts[0], parts[1]);
        IpAddress local = address(parts[0], parts[2]);
        int clientPort = port(parts[3]);
        int localPort = port(parts[4]);
        return client == null || local == null || clientPort < 0 || localPort < 0
                ? null
                : new Endpoints(client, clientPort, local, localPort);
    }

    private static @Nullable IpAddress address(String family, String text) {
        boolean ipv6 = text.indexOf(':') >= 0;
        return family.equals(ipv6 ? "TCP6" : "TCP4") ? IpAddress.parse(text) : null;
    }

    /** Digits without leading zeros, 0 to 65535; -1 for anything else. */
    private static int port(String text) {
        if (text.isEmpty() || text.length() > 5 || (text.length() > 1 && text.charAt(0) == '0')) {
            return -1;
        }
        int port = 0;
        for (int i = 0; i < text.length(); i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            port = port * 10 + digit - '0';
        }
        return port <= PORT_MAX ? port : -1;
    }

    private Step parseV2(ByteBuf in) {
        int start = in.readerIndex();
        int readable = in.readableBytes();
        if (readable > V2_BEGIN.length) {
            int versionAndCommand = in.getUnsignedByte(start + V2_BEGIN.length);
            if (versionAndCommand >> 4 != VERSION_2 || (versionAndCommand & 0xF) > COMMAND_PROXY) {
                return refuse(HeaderRefusal.MALFORMED);
            }
        }
        if (readable < V2_FIXED_BYTES) {
            return Step.MORE;
        }
        int length = in.getUnsignedShort(start + 14);
        if (V2_FIXED_BYTES + length > BYTES_MAX) {
            return refuse(HeaderRefusal.TOO_LONG);
        }
        if (readable < V2_FIXED_BYTES + length) {
            return Step.MORE;
        }
        byte[] header = ByteBufUtil.getBytes(in, start, V2_FIXED_BYTES + length);
        in.skipBytes(header.length);
        return (header[12] & 0xF) == COMMAND_LOCAL ? Step.DONE : proxied(header);
    }

    private Step proxied(byte[] header) {
        int familyAndProtocol = header[13] & 0xFF;
        int addressBytes = switch (familyAndProtocol) {
            case TCP_OVER_IPV4 -> 4;
            case TCP_OVER_IPV6 -> 16;
            case UNSPECIFIED, UNIX_STREAM -> 0;
            // Datagrams, and families that don't exist: nothing of a TCP connection.
            default -> -1;
        };
        int tlvs = V2_FIXED_BYTES
                + switch (familyAndProtocol) {
                    case UNSPECIFIED -> header.length - V2_FIXED_BYTES;
                    case UNIX_STREAM -> UNIX_BYTES;
                    default -> 2 * addressBytes + 4;
                };
        if (addressBytes < 0 || tlvs > header.length) {
            return refuse(HeaderRefusal.MALFORMED);
        }
        if (addressBytes > 0) {
            int ports = V2_FIXED_BYTES + 2 * addressBytes;
            endpoints = new Endpoints(
                    address(header, V2_FIXED_BYTES, addressBytes),
                    unsignedShort(header, ports),
                    address(header, V2_FIXED_BYTES + addressBytes, addressBytes),
                    unsignedShort(header, ports + 2));
        }
        return checkTlvs(header, tlvs);
    }

    private static IpAddress address(byte[] header, int at, int bytes) {
        byte[] octets = new byte[bytes];
        System.arraycopy(header, at, octets, 0, bytes);
        return IpAddress.of(octets);
    }

    private static int unsignedShort(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | (bytes[at + 1] & 0xFF);
    }

    /** What TLVs say isn't asked for, but where they end has to be clear, and a checksum has to be right. */
    private Step checkTlvs(byte[] header, int from) {
        int at = from;
        while (at < header.length) {
            int value = at + TLV_FIXED_BYTES;
            int length = value > header.length ? 0 : unsignedShort(header, at + 1);
            if (value + length > header.length) {
                return refuse(HeaderRefusal.MALFORMED);
            }
            if (header[at] == TLV_CRC32C) {
                if (length != CRC_BYTES) {
                    return refuse(HeaderRefusal.MALFORMED);
                }
                if (!isChecksum(header, value)) {
                    return refuse(HeaderRefusal.CHECKSUM);
                }
            }
            at = value + length;
        }
        return Step.DONE;
    }

    /** The checksum is over the whole header, with zeros where it stands itself. */
    private static boolean isChecksum(byte[] header, int at) {
        CRC32C crc = new CRC32C();
        crc.update(header, 0, at);
        crc.update(new byte[CRC_BYTES]);
        crc.update(header, at + CRC_BYTES, header.length - at - CRC_BYTES);
        long found = (long) unsignedShort(header, at) << 16 | unsignedShort(header, at + 2);
        return crc.getValue() == found;
    }
}
