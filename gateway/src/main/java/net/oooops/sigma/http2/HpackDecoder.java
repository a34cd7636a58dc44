package net.oooops.sigma.http2;

/**
 * Decodes the header blocks of one direction of one connection (RFC 7541 section 3).
 *
 * <pre>
 *   size updates ─▶ fields: indexed │ literal, added to the table │ literal
 * </pre>
 */
final class HpackDecoder {
    /** Five bytes of seven bits each are more than any number that is taken. */
    private static final int NUMBER_SHIFT_MAX = 28;

    private static final int WRONG = -1;
    private static final byte[] NONE = new byte[0];

    private final int tableBytesMax;
    private final HpackTable table;
    private final HpackRoom room;

    private byte[] block = NONE;
    private int at;
    private int end;

    // The string that was read last.
    private byte[] text = NONE;
    private int textStart;
    private int textEnd;
    private boolean textDecoded;

    private final HpackField field = new HpackField();
    private boolean nameDecoded;

    /**
     * For one connection.
     *
     * @param tableBytesMax what the other side was told that its table may take
     * @param room to decode strings in
     */
    HpackDecoder(int tableBytesMax, HpackRoom room) {
        this.tableBytesMax = tableBytesMax;
        this.table = new HpackTable(tableBytesMax);
        this.room = room;
    }

    /**
     * Decodes a whole block, and tells of each field.
     *
     * @return false where it is wrong: the connection can't go on (COMPRESSION_ERROR)
     */
    boolean decode(byte[] of, int start, int until, HpackSink sink) {
        block = of;
        at = start;
        end = until;
        boolean decoded = decode(sink);
        // An idle connection holds no block: it may be a large one.
        block = NONE;
        text = NONE;
        field.name(NONE, 0, 0);
        field.value(NONE, 0, 0);
        return decoded;
    }

    private boolean decode(HpackSink sink) {
        boolean updates = true;
        while (at < end) {
            int first = block[at] & 0xFF;
            room.clear();
            boolean read;
            if (first >= 0x80) {
                read = indexed(sink);
            } else if (first >= 0x40) {
                read = literal(6, true, sink);
            } else if (first >= 0x20) {
                // RFC 7541 section 4.2: before the first field only.
                read = updates && resize();
            } else {
                read = literal(4, false, sink);
            }
            if (!read) {
                return false;
            }
            updates &= first >= 0x20 && first < 0x40;
        }
        return true;
    }

    /** RFC 7541 section 5.1: a number that begins in the lowest {@code bits} of the next byte; {@link #WRONG} where it is none. */
    private int number(int bits) {
        int mask = (1 << bits) - 1;
        int value = block[at++] & mask;
        if (value < mask) {
            return value;
        }
        long sum = value;
        for (int shift = 0; at < end && shift <= NUMBER_SHIFT_MAX; shift += 7) {
            int next = block[at++];
            sum += (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return sum > Integer.MAX_VALUE ? WRONG : (int) sum;
            }
        }
        return WRONG;
    }

    private boolean resize() {
        int bytes = number(5);
        if (bytes == WRONG || bytes > tableBytesMax) {
            return false;
        }
        table.resize(bytes);
        return true;
    }

    private boolean indexed(HpackSink sink) {
        int index = number(7);
        if (index <= 0) {
            return false;
        }
        if (index <= HpackStatic.COUNT) {
            byte[] known = HpackStatic.name(index);
            byte[] value = HpackStatic.value(index);
            field.name(known, 0, known.length);
            field.value(value, 0, value.length);
            sink.field(field);
            return true;
        }
        int entry = index - HpackStatic.COUNT - 1;
        if (entry >= table.count()) {
            return false;
        }
        byte[] bytes = table.bytes();
        field.name(bytes, table.nameStart(entry), table.nameEnd(entry));
        field.value(bytes, table.nameEnd(entry), table.valueEnd(entry));
        sink.field(field);
        return true;
    }

    private boolean literal(int bits, boolean added, HpackSink sink) {
        int index = number(bits);
        if (index < 0 || !(index == 0 ? literalName() : knownName(index)) || !string()) {
            return false;
        }
        if (nameDecoded) {
            // It may be another array since.
            field.name = room.bytes();
        }
        field.value(textDecoded ? room.bytes() : text, textStart, textEnd);
        sink.field(field);
        if (added) {
            if (field.name == table.bytes()) {
                // It may be moved, or go to make room.
                int copy = room.add(field.name, field.nameStart, field.nameEnd);
                field.name(room.bytes(), copy, copy + field.nameEnd - field.nameStart);
                field.value = textDecoded ? room.bytes() : field.value;
            }
            table.add(field, 0);
        }
        return true;
    }

    private boolean literalName() {
        boolean read = string();
        field.name(text, textStart, textEnd);
        nameDecoded = textDecoded;
        return read;
    }

    private boolean knownName(int index) {
        nameDecoded = false;
        if (index <= HpackStatic.COUNT) {
            byte[] known = HpackStatic.name(index);
            field.name(known, 0, known.length);
            return true;
        }
        int entry = index - HpackStatic.COUNT - 1;
        if (entry >= table.count()) {
            return false;
        }
        field.name(table.bytes(), table.nameStart(entry), table.nameEnd(entry));
        return true;
    }

    /** RFC 7541 section 5.2. */
    private boolean string() {
        if (at >= end) {
            return false;
        }
        textDecoded = block[at] < 0;
        int length = number(7);
        if (length < 0 || length > end - at) {
            return false;
        }
        int start = at;
        at += length;
        if (!textDecoded) {
            text = block;
            textStart = start;
            textEnd = at;
            return true;
        }
        textStart = room.length();
        boolean decoded = HpackHuffman.decode(block, start, at, room);
        textEnd = room.length();
        return decoded;
    }
}
