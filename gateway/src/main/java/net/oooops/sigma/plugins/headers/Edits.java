package net.oooops.sigma.plugins.headers;

import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;

/** The edits of one side's heads, ready to be applied. Immutable. */
final class Edits {
    private final FieldName[] removed;
    private final Field[] set;
    private final Field[] added;
    private final Template[] templates;

    /** The arrays are this object's own from now on. */
    Edits(FieldName[] removed, Field[] set, Field[] added, Template[] templates) {
        this.removed = removed;
        this.set = set;
        this.added = added;
        this.templates = templates;
    }

    boolean isEmpty() {
        return removed.length + set.length + added.length + templates.length == 0;
    }

    /** Removes, sets, adds, and sets what has facts of the request in it. Allocates for the last only. */
    void applyTo(Head head, Exchange exchange) {
        for (FieldName name : removed) {
            head.remove(name);
        }
        for (Field field : set) {
            head.set(field);
        }
        for (Field field : added) {
            head.add(field);
        }
        for (Template template : templates) {
            template.applyTo(head, exchange);
        }
    }
}
