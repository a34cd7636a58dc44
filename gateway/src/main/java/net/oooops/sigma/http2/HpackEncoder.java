package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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

    private final HpackField field = new HpackField();
    private byte[] name = new byte[NAME_BYTES_FIRST];
    private ByteBuf out = Unpooled.EMPTY_BUFFER;
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

    /** Begins a block, which is written to {@code to}. */
    void begin(ByteBuf to) {
        out = to;
        if (smallest >= 0) {
            if (smallest < tableBytes) {
                number(SIZE_UPDATE, 5, smallest);
            }
            number(SIZE_UPDATE, 5, tableBytes);
            smallest = -1;
        }
    }

    /** Writes {@code :status}. */
    void status(int status) {
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
            indexed(index);
            return;
        }
        number(LITERAL, 4, HpackStatic.STATUS_200);
        out.writeByte(3);
        out.writeByte('0' + status / 100).writeByte('0' + status / 10 % 10).writeByte('0' + status % 10);
    }

    /** Writes an entry of the static table as it is. */
    void indexed(int index) {
        out.writeByte(INDEXED | index);
    }

    /** Writes a pseudo-header field; which one, the first index says that has its name. */
    void pseudo(int index, byte[] bytes, int valueStart, int valueEnd) {
        byte[] named = HpackStatic.name(index);
        for (int known = index; Arrays.equals(HpackStatic.name(known), named); known++) {
            if (HpackStatic.hasValue(known, bytes, valueStart, valueEnd)) {
                indexed(known);
                return;
            }
        }
        field.name(named, 0, named.length);
        field.value(bytes, valueStart, valueEnd);
        dynamic(index, HpackStatic.hash(named, 0, named.length));
    }

    /** Writes {@code :path}, the first {@code length} bytes of that array: rarely the same for long, so that it isn't added. */
    void path(byte[] bytes, int length) {
        if (HpackStatic.hasValue(HpackStatic.PATH_ROOT, bytes, 0, length)) {
            indexed(HpackStatic.PATH_ROOT);
            return;
        }
        number(LITERAL, 4, HpackStatic.PATH_ROOT);
        string(bytes, 0, length);
    }

    /** Writes a field; its name in lower case, whatever case it has. */
    void field(byte[] bytes, int nameStart, int nameEnd, int valueStart, int valueEnd) {
        int nameBytes = lowerCase(bytes, nameStart, nameEnd);
        field.name(name, 0, nameBytes);
        field.value(bytes, valueStart, valueEnd);
        int nameHash = HpackStatic.hash(name, 0, nameBytes);
        int known = HpackStatic.indexOf(name, 0, nameBytes, nameHash);
        if (known > 0 && HpackStatic.hasValue(known, bytes, valueStart, valueEnd)) {
            indexed(known);
        } else if (isSecret(nameBytes)) {
            literal(NEVER_INDEXED, 4, known);
        } else {
            dynamic(known, nameHash);
        }
    }

    /** Writes the field by its entry, or as a literal that becomes one where it came before. */
    private void dynamic(int known, int nameHash) {
        int hash = 31 * nameHash + HpackStatic.hash(field.value, field.valueStart, field.valueEnd);
        int entry = find(hash);
        if (entry >= 0) {
            number(INDEXED, 7, HpackStatic.COUNT + 1 + entry);
            return;
        }
        int index = known > 0 ? known : indexOfName();
        if (isWorthAdding(hash)) {
            literal(ADDED, 6, index);
            table.add(field, hash);
        } else {
            literal(LITERAL, 4, index);
        }
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

    private int find(int hash) {
        for (int entry = 0; entry < table.count(); entry++) {
            if (table.hash(entry) == hash && table.isNamed(entry, field) && table.hasValue(entry, field)) {
                return entry;
            }
        }
        return -1;
    }

    /** The index of an entry with that name; 0 for none. */
    private int indexOfName() {
        for (int entry = 0; entry < table.count(); entry++) {
            if (table.isNamed(entry, field)) {
                return HpackStatic.COUNT + 1 + entry;
            }
        }
        return 0;
    }

    private boolean isWorthAdding(int hash) {
        int slot = hash & SEEN - 1;
        boolean before = seen[slot] == hash;
        seen[slot] = hash;
        int bytes = field.nameEnd - field.nameStart + field.valueEnd - field.valueStart + HpackTable.ENTRY_BYTES;
        return before && bytes <= Math.min(ENTRY_BYTES_MAX, tableBytes);
    }

    private void literal(int kind, int bits, int index) {
        number(kind, bits, index);
        if (index == 0) {
            string(field.name, field.nameStart, field.nameEnd);
        }
        string(field.value, field.valueStart, field.valueEnd);
    }

    /** RFC 7541 section 5.2: in Huffman code where that is shorter. */
    private void string(byte[] from, int start, int end) {
        int encoded = HpackHuffman.encodedBytes(from, start, end);
        if (encoded < end - start) {
            number(INDEXED, 7, encoded);
            HpackHuffman.encode(from, start, end, out);
        } else {
            number(0, 7, end - start);
            out.writeBytes(from, start, end - start);
        }
    }

    /** RFC 7541 section 5.1. */
    private void number(int kind, int bits, int value) {
        int mask = (1 << bits) - 1;
        if (value < mask) {
            out.writeByte(kind | value);
            return;
        }
        out.writeByte(kind | mask);
        int rest = value - mask;
        while (rest >= 0x80) {
            out.writeByte((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }
}
