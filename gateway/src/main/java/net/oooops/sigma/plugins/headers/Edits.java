package net.oooops.sigma.plugins.headers;

import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;

/** The edits of one side's heads, ready to be applied. Immutable. */
final class Edits {
    private final FieldName[] removed;
    private final Field[] set;
    private final Field[] added;

    /** The arrays are this object's own from now on. */
    Edits(FieldName[] removed, Field[] set, Field[] added) {
        this.removed = removed;
        this.set = set;
        this.added = added;
    }

    boolean isEmpty() {
        return removed.length + set.length + added.length == 0;
    }

    /** Removes, sets, adds. Allocates nothing. */
    void applyTo(Head head) {
        for (FieldName name : removed) {
            head.remove(name);
        }
        for (Field field : set) {
            head.set(field);
        }
        for (Field field : added) {
            head.add(field);
        }
    }
}
