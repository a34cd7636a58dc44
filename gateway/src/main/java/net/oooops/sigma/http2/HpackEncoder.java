package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import net.oooops.sigma.http.Octets;

/**
 * Encodes the header blocks of one direction of one connection (RFC 7541). A field goes into the table when it comes for the second time:
 * what never comes again would only push out what does. Fields that hold secrets never do (section 7.1).
 */
final class HpackEncoder {
    private static final int TABLE_BYTES_MAX = 4096;
    /** Larger ones would take the place of many others. */
    private static final int ENTRY_BYTES_MAX = TABLE_BYTES_MAX / 4;

    private static final int SEEN = 64;
    private static final int NAME_BYTES_FIRST = 64;
    private static final int LITERAL = 0x00;
    private static final int NEVER_INDEXED = 0x10;
    private static final int SIZE_UPDATE = 0x20;
    private static final int ADDED = 0x40;
    private static final int INDEXED = 0x80;

    private static final byte[][] SECRET = {
        Octets.ascii("authorization"),
        Octets.ascii("proxy-authorization"),
        Octets.ascii("cookie"),
        Octets.ascii("set-cookie")
    };

    private final HpackTable table = new HpackTable(TABLE_BYTES_MAX);
    /** By the lowest bits of their hashes: the hashes of fields that came last. */
    private final int[] seen = new int[SEEN];

    private byte[] name = new byte[NAME_BYTES_FIRST];
    private int tableBytes = TABLE_BYTES_MAX;
    /** The smallest size since the last block, which the other side has to hear of; -1 where there was none. */
    private int smallest = -1;

    /** The peer takes a table of that size; never more than 4,096 bytes are used. Said with the next block. */
    void tableBytesMax(int bytes) {
        int size = Math.min(bytes, TABLE_BYTES_MAX);
        if (size == tableBytes && smallest < 0) {
            return;
        }
        smallest = smallest < 0 ? size : Math.min(smallest, size);
        tableBytes = size;
        table.resize(smallest);
        table.resize(size);
    }

    /** Begins a block. */
    void begin(ByteBuf out) {
        if (smallest >= 0) {
            if (smallest < tableBytes) {
                number(SIZE_UPDATE, 5, smallest, out);
            }
            number(SIZE_UPDATE, 5, tableBytes, out);
            smallest = -1;
        }
    }

    /** Writes {@code :status}. */
    void status(int status, ByteBuf out) {
        int index = switch (status) {
            case 200 -> HpackStatic.STATUS_200;
            case 204 -> HpackStatic.STATUS_200 + 1;
            case 206 -> HpackStatic.STATUS_200 + 2;
            case 304 -> HpackStatic.STATUS_200 + 3;
            case 400 -> HpackStatic.STATUS_200 + 4;
            case 404 -> HpackStatic.STATUS_200 + 5;
            case 500 -> HpackStatic.STATUS_200 + 6;
            default -> 0;
        };
        if (index > 0) {
            out.writeByte(INDEXED | index);
            return;
        }
        number(LITERAL, 4, HpackStatic.STATUS_200, out);
        out.writeByte(3);
        out.writeByte('0' + status / 100).writeByte('0' + status / 10 % 10).writeByte('0' + status % 10);
    }

    /** Writes a field; its name in lower case, whatever case it has. */
    void field(byte[] bytes, int nameStart, int nameEnd, int valueStart, int valueEnd, ByteBuf out) {
        int nameBytes = lowerCase(bytes, nameStart, nameEnd);
        int nameHash = HpackStatic.hash(name, 0, nameBytes);
        int known = HpackStatic.indexOf(name, 0, nameBytes, nameHash);
        if (known > 0 && HpackStatic.hasValue(known, bytes, valueStart, valueEnd)) {
            out.writeByte(INDEXED | known);
            return;
        }
        if (isSecret(nameBytes)) {
            literal(NEVER_INDEXED, 4, known, nameBytes, out);
            string(bytes, valueStart, valueEnd, out);
            return;
        }
        int hash = 31 * nameHash + HpackStatic.hash(bytes, valueStart, valueEnd);
        int entry = find(hash, nameBytes, bytes, valueStart, valueEnd);
        if (entry >= 0) {
            number(INDEXED, 7, HpackStatic.COUNT + 1 + entry, out);
            return;
        }
        int index = known > 0 ? known : indexOfName(nameBytes);
        if (isWorthAdding(hash, nameBytes + valueEnd - valueStart)) {
            literal(ADDED, 6, index, nameBytes, out);
            table.add(name, 0, nameBytes, bytes, valueStart, valueEnd, hash);
        } else {
            literal(LITERAL, 4, index, nameBytes, out);
        }
        string(bytes, valueStart, valueEnd, out);
    }

    private int lowerCase(byte[] bytes, int start, int end) {
        int length = end - start;
        if (length > name.length) {
            name = new byte[Math.max(length, 2 * name.length)];
        }
        for (int i = 0; i < length; i++) {
            byte b = bytes[start + i];
            name[i] = b >= 'A' && b <= 'Z' ? (byte) (b | 0x20) : b;
        }
        return length;
    }

    private boolean isSecret(int nameBytes) {
        for (byte[] secret : SECRET) {
            if (Arrays.equals(secret, 0, secret.length, name, 0, nameBytes)) {
                return true;
            }
        }
        return false;
    }

    private int find(int hash, int nameBytes, byte[] bytes, int valueStart, int valueEnd) {
        for (int entry = 0; entry < table.count(); entry++) {
            if (table.hash(entry) == hash
                    && table.isNamed(entry, name, 0, nameBytes)
                    && table.hasValue(entry, bytes, valueStart, valueEnd)) {
                return entry;
            }
        }
        return -1;
    }

    /** The index of an entry with that name; 0 for none. */
    private int indexOfName(int nameBytes) {
        for (int entry = 0; entry < table.count(); entry++) {
            if (table.isNamed(entry, name, 0, nameBytes)) {
                return HpackStatic.COUNT + 1 + entry;
            }
        }
        return 0;
    }

    private boolean isWorthAdding(int hash, int bytes) {
        int slot = hash & SEEN - 1;
        boolean before = seen[slot] == hash;
        seen[slot] = hash;
        return before && bytes + HpackTable.ENTRY_BYTES <= Math.min(ENTRY_BYTES_MAX, tableBytes);
    }

    private void literal(int kind, int bits, int index, int nameBytes, ByteBuf out) {
        number(kind, bits, index, out);
        if (index == 0) {
            string(name, 0, nameBytes, out);
        }
    }

    /** RFC 7541 section 5.2: in Huffman code where that is shorter. */
    private static void string(byte[] from, int start, int end, ByteBuf out) {
        int encoded = HpackHuffman.encodedBytes(from, start, end);
        if (encoded < end - start) {
            number(INDEXED, 7, encoded, out);
            HpackHuffman.encode(from, start, end, out);
        } else {
            number(0, 7, end - start, out);
            out.writeBytes(from, start, end - start);
        }
    }

    /** RFC 7541 section 5.1. */
    private static void number(int kind, int bits, int value, ByteBuf out) {
        int mask = (1 << bits) - 1;
        if (value < mask) {
            out.writeByte(kind | value);
            return;
        }
        out.writeByte(kind | mask);
        int rest = value - mask;
        while (rest >= 0x80) {
            out.writeByte(rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }
}
