package net.oooops.sigma.plugins.headers;

import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.PathParameter;

/** The edits of one side's heads, ready to be applied. Immutable. */
final class Edits {
    private final FieldName[] removed;
    private final Field[] set;
    private final Field[] added;
    private final Template[] templates;
    private final boolean ofRequests;

    /**
     * The arrays are this object's own from now on.
     *
     * @param ofRequests clients write these heads, and are to say nothing that nodes take for a field which is removed or set
     */
    Edits(FieldName[] removed, Field[] set, Field[] added, Template[] templates, boolean ofRequests) {
        this.ofRequests = ofRequests;
        this.removed = removed;
        this.set = set;
        this.added = added;
        this.templates = templates;
    }

    /** The parameters of the path that are named in it. */
    List<PathParameter> parameters() {
        return Arrays.stream(templates)
                .flatMap(template -> template.parameters().stream())
                .toList();
    }

    boolean isEmpty() {
        return removed.length + set.length + added.length + templates.length == 0;
    }

    /** Removes, sets, adds, and sets what has facts of the request in it. Allocates for the last only. */
    void applyTo(Head head, Exchange exchange) {
        for (FieldName name : removed) {
            if (ofRequests && name.toString().indexOf('_') < 0) {
                head.removeAlike(name);
            } else {
                head.remove(name);
            }
        }
        for (Field field : set) {
            if (ofRequests) {
                head.removeAlike(field.name());
                head.add(field);
            } else {
                head.set(field);
            }
        }
        for (Field field : added) {
            head.add(field);
        }
        for (Template template : templates) {
            template.applyTo(head, exchange, ofRequests);
        }
    }
}
