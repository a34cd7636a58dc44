package net.oooops.sigma.http2;

import java.util.Arrays;

/**
 * A dynamic table (RFC 7541 section 2.3.2): the newest entry is 0. The bytes of entries stand one behind the other in an array; what is
 * live is moved to its front when it is full. Nothing is allocated before the first entry.
 */
final class HpackTable {
    /** What an entry counts for beside its bytes (section 4.1). */
    static final int ENTRY_BYTES = 32;

    private static final int BYTES_FIRST = 1024;
    private static final byte[] NONE = new byte[0];
    private static final int[] NO_INTS = new int[0];
    /** Of an entry: where its name begins, where it ends, where the value ends, and its hash. */
    private static final int NUMBERS = 4;

    private final int entriesMax;
    private int sizeMax;
    private byte[] bytes = NONE;
    private int live;
    private int end;
    private int[] entries = NO_INTS;
    private int newest;
    private int count;
    private int size;

    /** One of at most that size, which it also may have at first. */
    HpackTable(int sizeMax) {
        this.sizeMax = sizeMax;
        this.entriesMax = Integer.highestOneBit(Math.max(1, sizeMax / ENTRY_BYTES)) * 2;
    }

    int count() {
        return count;
    }

    /** It may have that size, which isn't more than it could have at first. */
    void resize(int bytesMax) {
        sizeMax = bytesMax;
        evict(0);
    }

    byte[] bytes() {
        return bytes;
    }

    private int at(int index) {
        return ((newest - index) & (entriesMax - 1)) * NUMBERS;
    }

    int nameStart(int index) {
        return entries[at(index)];
    }

    int nameEnd(int index) {
        return entries[at(index) + 1];
    }

    int valueEnd(int index) {
        return entries[at(index) + 2];
    }

    int hash(int index) {
        return entries[at(index) + 3];
    }

    private void evict(int needed) {
        while (count > 0 && size + needed > sizeMax) {
            int oldest = count - 1;
            size -= valueEnd(oldest) - nameStart(oldest) + ENTRY_BYTES;
            count--;
            live = count == 0 ? end : nameStart(count - 1);
        }
    }

    /** Adds an entry, unless it is larger than the table: that empties it (section 4.4). Its arrays aren't {@link #bytes}. */
    void add(HpackField field, int hash) {
        int nameBytes = field.nameEnd - field.nameStart;
        int valueBytes = field.valueEnd - field.valueStart;
        int needed = nameBytes + valueBytes + ENTRY_BYTES;
        evict(needed);
        if (needed > sizeMax) {
            return;
        }
        if (entries.length == 0) {
            entries = new int[entriesMax * NUMBERS];
        }
        makeRoom(nameBytes + valueBytes);
        newest = (newest + 1) & (entriesMax - 1);
        count++;
        size += needed;
        int at = newest * NUMBERS;
        entries[at] = end;
        System.arraycopy(field.name, field.nameStart, bytes, end, nameBytes);
        end += nameBytes;
        entries[at + 1] = end;
        System.arraycopy(field.value, field.valueStart, bytes, end, valueBytes);
        end += valueBytes;
        entries[at + 2] = end;
        entries[at + 3] = hash;
    }

    private void makeRoom(int length) {
        if (end + length <= bytes.length) {
            return;
        }
        int kept = end - live;
        byte[] to = bytes;
        if (2 * (kept + length) > bytes.length) {
            to = new byte[Math.max(BYTES_FIRST, Integer.highestOneBit(kept + length) * 4)];
        }
        System.arraycopy(bytes, live, to, 0, kept);
        for (int index = 0; index < count; index++) {
            int at = at(index);
            entries[at] -= live;
            entries[at + 1] -= live;
            entries[at + 2] -= live;
        }
        bytes = to;
        live = 0;
        end = kept;
    }

    /** Whether an entry has the value of that field. */
    boolean hasValue(int index, HpackField field) {
        return Arrays.equals(bytes, nameEnd(index), valueEnd(index), field.value, field.valueStart, field.valueEnd);
    }

    /** Whether an entry has the name of that field. */
    boolean isNamed(int index, HpackField field) {
        return Arrays.equals(bytes, nameStart(index), nameEnd(index), field.name, field.nameStart, field.nameEnd);
    }
}
