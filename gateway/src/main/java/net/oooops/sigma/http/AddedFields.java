package net.oooops.sigma.http;

import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import org.jspecify.annotations.Nullable;

/**
 * The fields that edits added to a section, in the order in which they were: written behind those that were received.
 *
 * <p>Part of a section, used again with it, and on its thread. Allocates nothing where nothing is added.
 */
final class AddedFields {
    private static final Field[] NONE = new Field[0];
    private static final int ROOM_FIRST = 4;

    private Field[] fields = NONE;
    private int count;

    /** There are none. */
    void clear() {
        shrink(0);
    }

    private void shrink(int to) {
        if (to < count) {
            Arrays.fill(fields, to, count, null);
            count = to;
        }
    }

    /** How many there are. */
    int count() {
        return count;
    }

    Field get(int index) {
        return fields[index];
    }

    void add(Field field) {
        if (count == fields.length) {
            fields = Arrays.copyOf(fields, Math.max(ROOM_FIRST, count * 2));
        }
        fields[count++] = field;
    }

    /** Puts another field in the place of one, or none. */
    void replace(int index, @Nullable Field with) {
        if (with != null) {
            fields[index] = with;
            return;
        }
        System.arraycopy(fields, index + 1, fields, index, count - 1 - index);
        shrink(count - 1);
    }

    /** Takes all of that name out. */
    void remove(FieldName name) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (!fields[i].name().equals(name)) {
                fields[kept++] = fields[i];
            }
        }
        shrink(kept);
    }

    /** The first of that name, or null. */
    @Nullable Field find(FieldName name) {
        for (int i = 0; i < count; i++) {
            if (fields[i].name().equals(name)) {
                return fields[i];
            }
        }
        return null;
    }

    /** Adds the values of all of that name to a list. */
    void values(FieldName name, List<String> to) {
        for (int i = 0; i < count; i++) {
            if (fields[i].name().equals(name)) {
                to.add(fields[i].value());
            }
        }
    }

    /** Whether there is one of that name with a value in it. */
    boolean hasValue(FieldName name) {
        for (int i = 0; i < count; i++) {
            if (fields[i].name().equals(name) && !fields[i].value().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** How many bytes {@link #copyTo} writes. */
    int bytes() {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += fields[i].lineBytes();
        }
        return sum;
    }

    /** Writes the line of each. Returns the position behind the last one. */
    int copyTo(byte[] target, int at) {
        int end = at;
        for (int i = 0; i < count; i++) {
            end = fields[i].copyTo(target, end);
        }
        return end;
    }
}
