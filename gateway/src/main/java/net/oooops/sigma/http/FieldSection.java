package net.oooops.sigma.http;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.memory.HeadMemory;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a head or of a trailer section, where its fields stand in them, and the edits to be applied as it is written.
 *
 * <p>Received bytes are copied in once and stay as they came. Every field is five numbers: where its name and its value
 * begin and end, and its marks (which {@link KnownField} it is, and whether it is written on). The object is used again for
 * one message after the other; steady state allocates nothing.
 */
public abstract class FieldSection implements Head {
    /** The field is not written on: it holds for one connection, or framing is written from what was understood. */
    static final int NOT_FORWARDED = 0x100;
    /** An edit took the field out. */
    static final int REMOVED = 0x200;
    /** The field is written anew, with a part of its value left out. */
    static final int WITHHELD = 0x400;

    private static final int KNOWN_MASK = 0xFF;
    private static final int SLOTS = 5;
    private static final int BYTES_FIRST = 1024;
    private static final int BYTES_KEPT = HeadMemory.SMALL_BYTES;
    private static final int FIELDS_FIRST = 24;

    byte[] bytes = new byte[BYTES_FIRST];
    /** How many bytes are stored. */
    int length;
    /** Where the parser goes on: the beginning of the line that isn't complete yet. */
    int parsed;
    /** Where the first field line begins. */
    int fieldsStart;
    /** After the last field line, before the empty line. */
    int fieldsEnd;

    int fieldCount;

    private @Nullable Refusal refusal;
    /** One bit for each {@link KnownField} that there is. */
    private int knownSeen;

    private int[] slots = new int[FIELDS_FIRST * SLOTS];
    /** What edits added. */
    final AddedFields added = new AddedFields();

    /** Forgets the message. A large array that one message needed is given back. */
    public void clear() {
        length = 0;
        parsed = 0;
        fieldsStart = 0;
        fieldsEnd = 0;
        fieldCount = 0;
        refusal = null;
        knownSeen = 0;
        added.clear();
        if (bytes.length > BYTES_KEPT) {
            bytes = new byte[BYTES_FIRST];
        }
    }

    /** The message is over: where it needed a large array, it is forgotten now rather than when the next one comes. */
    public final void end() {
        if (bytes.length > BYTES_KEPT) {
            clear();
        }
    }

    /** How much of the heap the message's bytes hold, as {@link HeadMemory} counts it. */
    public final int countedBytes() {
        return HeadMemory.counted(bytes.length);
    }

    // For codecs: received bytes come in, and what stands where in them

    /** Stores the next {@code count} bytes of {@code in}. */
    public final void append(ByteBuf in, int count) {
        if (length + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
        }
        in.readBytes(bytes, length, count);
        length += count;
    }

    /** Stores bytes that were decoded. */
    public final void append(byte[] from, int start, int end) {
        int count = end - start;
        if (length + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
        }
        System.arraycopy(from, start, bytes, length, count);
        length += count;
    }

    /** The stored bytes: the first {@link #length} of the array, which is another one after more were stored. */
    public final byte[] bytes() {
        return bytes;
    }

    /** How many bytes are stored. */
    public final int length() {
        return length;
    }

    /** Whether what is stored begins with that. */
    public final boolean storedStartsWith(byte[] text) {
        return length >= text.length && Arrays.equals(bytes, 0, text.length, text, 0, text.length);
    }

    /** Where reading goes on: at the beginning of the first line that wasn't complete. */
    public final int parsed() {
        return parsed;
    }

    /** All before it was read. */
    public final void parsed(int at) {
        parsed = at;
    }

    /** Gives back what is stored behind the end: says how many bytes that are. */
    public final int dropSurplus() {
        int surplus = length - parsed;
        length = parsed;
        return surplus;
    }

    /** Where the first field line begins, 0 before that is known. */
    public final int fieldsStart() {
        return fieldsStart;
    }

    /** The first field line begins there. */
    public final void beginFields(int at) {
        fieldsStart = at;
        parsed = at;
    }

    /**
     * There are no more fields.
     *
     * @param after where the last line ended
     * @param next what comes behind the section begins there
     */
    public final void endFields(int after, int next) {
        fieldsEnd = after;
        parsed = next;
    }

    /** How many field lines were taken. */
    public final int fieldCount() {
        return fieldCount;
    }

    /** The message is refused. Returns false: nothing was taken. */
    public final boolean refuse(Refusal why) {
        refusal = why;
        return false;
    }

    /** Why it is refused, or null. */
    public final @Nullable Refusal refusal() {
        return refusal;
    }

    /**
     * Takes a field line that stands in {@link #bytes}; {@link #refusal} says why where it is refused.
     *
     * @return whether it is taken
     */
    public abstract boolean accept(int nameStart, int nameEnd, int valueStart, int valueEnd);

    final void addReceived(int nameStart, int nameEnd, int valueStart, int valueEnd, int marks) {
        int at = fieldCount * SLOTS;
        if (at == slots.length) {
            slots = Arrays.copyOf(slots, slots.length * 2);
        }
        slots[at] = nameStart;
        slots[at + 1] = nameEnd;
        slots[at + 2] = valueStart;
        slots[at + 3] = valueEnd;
        slots[at + 4] = marks;
        knownSeen |= 1 << (marks & KNOWN_MASK);
        fieldCount++;
    }

    final int nameStart(int field) {
        return slots[field * SLOTS];
    }

    final int nameEnd(int field) {
        return slots[field * SLOTS + 1];
    }

    final int valueStart(int field) {
        return slots[field * SLOTS + 2];
    }

    final int valueEnd(int field) {
        return slots[field * SLOTS + 3];
    }

    final int known(int field) {
        return slots[field * SLOTS + 4] & KNOWN_MASK;
    }

    final boolean isWritten(int field) {
        return (slots[field * SLOTS + 4] & (NOT_FORWARDED | REMOVED | WITHHELD)) == 0;
    }

    final boolean isWithheld(int field) {
        return (slots[field * SLOTS + 4] & (NOT_FORWARDED | REMOVED | WITHHELD)) == WITHHELD;
    }

    final boolean isRemoved(int field) {
        return (slots[field * SLOTS + 4] & REMOVED) != 0;
    }

    final void mark(int field, int mark) {
        slots[field * SLOTS + 4] |= mark;
    }

    /** Puts a mark on every field of that known kind. */
    final void markAll(int known, int mark) {
        if ((knownSeen & 1 << known) == 0) {
            return;
        }
        for (int field = 0; field < fieldCount; field++) {
            if (known(field) == known) {
                mark(field, mark);
            }
        }
    }

    /** Every field of that known kind (see {@link KnownField}) is not written on. */
    public final void drop(int known) {
        markAll(known, NOT_FORWARDED);
    }

    /** Writes all fields that go on but those of that known kind; where the section is written once more, these do, too. */
    public final void writeWithout(int known, HeadWriter out) {
        int field = find(known);
        boolean goesOn = field >= 0 && isWritten(field);
        drop(known);
        out.fields(this);
        if (goesOn) {
            keep(known);
        }
    }

    /** Every field of that known kind is written on, unless an edit took it out. */
    final void keep(int known) {
        for (int field = find(known); field >= 0 && field < fieldCount; field++) {
            if (known(field) == known) {
                slots[field * SLOTS + 4] &= ~NOT_FORWARDED;
            }
        }
    }

    /** The first field of that known kind, or -1. */
    final int find(int known) {
        if ((knownSeen & 1 << known) == 0) {
            return -1;
        }
        for (int field = 0; field < fieldCount; field++) {
            if (known(field) == known && !isRemoved(field)) {
                return field;
            }
        }
        return -1;
    }

    /** Whether any field goes on. */
    public final boolean isWritten() {
        for (int field = 0; field < fieldCount; field++) {
            if (isWritten(field)) {
                return true;
            }
        }
        return added.count() > 0;
    }

    /** Whether edits added any field. */
    public final boolean hasAdded() {
        return added.count() > 0;
    }

    /** Whether edits added a field of that name. */
    public final boolean hasAdded(FieldName name) {
        return added.find(name) != null;
    }

    /** An upper bound of what {@link #copyFields} writes. */
    final int fieldBytesMax() {
        return fieldsEnd - fieldsStart + added.bytes();
    }

    /**
     * Writes all fields that go on, edits applied: runs of unchanged lines are copied as they came, each run at once.
     *
     * @return the position in {@code target} after the last line
     */
    final int copyFields(byte[] target, int at) {
        int end = at;
        int runStart = -1;
        for (int field = 0; field < fieldCount; field++) {
            if (isWritten(field)) {
                runStart = runStart < 0 ? nameStart(field) : runStart;
            } else if (runStart >= 0) {
                end = copy(runStart, nameStart(field), target, end);
                runStart = -1;
            }
        }
        if (runStart >= 0) {
            end = copy(runStart, fieldsEnd, target, end);
        }
        return added.copyTo(target, end);
    }

    final int copy(int start, int end, byte[] target, int at) {
        System.arraycopy(bytes, start, target, at, end - start);
        return at + end - start;
    }

    /** Where the value of the first received field of that name stands, unless a plugin took it out: a {@link Span}. */
    public final long receivedValue(FieldName name) {
        for (int field = 0; field < fieldCount; field++) {
            if (isNamed(field, name)) {
                return Span.of(valueStart(field), valueEnd(field));
            }
        }
        return Span.NONE;
    }

    @Override
    public @Nullable String value(FieldName name) {
        for (int field = 0; field < fieldCount; field++) {
            if (isNamed(field, name)) {
                return valueOf(field);
            }
        }
        Field field = added.find(name);
        return field == null ? null : field.value();
    }

    @Override
    public List<String> values(FieldName name) {
        List<String> values = new ArrayList<>();
        for (int field = 0; field < fieldCount; field++) {
            if (isNamed(field, name)) {
                values.add(valueOf(field));
            }
        }
        added.values(name, values);
        return values;
    }

    @Override
    public boolean has(FieldName name) {
        for (int field = 0; field < fieldCount; field++) {
            if (isNamed(field, name)) {
                return true;
            }
        }
        return added.find(name) != null;
    }

    /** Whether a field of that name goes on to the other side with a value in it. */
    public boolean passes(FieldName name) {
        for (int field = 0; field < fieldCount; field++) {
            if (isNamed(field, name) && isWritten(field) && valueStart(field) < valueEnd(field)) {
                return true;
            }
        }
        return added.hasValue(name);
    }

    @Override
    public List<String> names() {
        Map<String, String> names = new LinkedHashMap<>();
        for (int field = 0; field < fieldCount; field++) {
            if (!isRemoved(field)) {
                String name = Octets.string(bytes, nameStart(field), nameEnd(field));
                names.putIfAbsent(name.toLowerCase(Locale.ROOT), name);
            }
        }
        for (int i = 0; i < added.count(); i++) {
            String name = added.get(i).name().toString();
            names.putIfAbsent(name.toLowerCase(Locale.ROOT), name);
        }
        return List.copyOf(names.values());
    }

    @Override
    public void set(Field field) {
        removeAll(field.name());
        add(field);
    }

    @Override
    public void add(Field field) {
        added.add(field);
    }

    @Override
    public void remove(FieldName name) {
        if (name.isOfTheConnection()) {
            throw new IllegalArgumentException(name + " (expected: a field that a plugin may remove)");
        }
        removeAll(name);
    }

    @Override
    public void removeAlike(FieldName name) {
        remove(name);
        for (int field = 0; field < fieldCount; field++) {
            if (name.isReadFrom(bytes, nameStart(field), nameEnd(field))) {
                mark(field, REMOVED);
            }
        }
    }

    private void removeAll(FieldName name) {
        for (int field = 0; field < fieldCount; field++) {
            if (isNamed(field, name)) {
                mark(field, REMOVED);
            }
        }
        added.remove(name);
    }

    private boolean isNamed(int field, FieldName name) {
        return !isRemoved(field) && name.matches(bytes, nameStart(field), nameEnd(field));
    }

    private String valueOf(int field) {
        return Octets.string(bytes, valueStart(field), valueEnd(field));
    }
}
