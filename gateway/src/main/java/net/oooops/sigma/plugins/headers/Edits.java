package net.oooops.sigma.plugins.headers;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.PathParameter;

/** The edits of one side's heads, ready to be applied. Immutable. */
final class Edits {
    private final FieldName[] removed;
    /** Removed with all that nodes may take for them. */
    private final FieldName[] removedAlike;

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
        // Who names a field with a _ means that one.
        this.removed = named(removed, name -> !ofRequests || name.toString().indexOf('_') >= 0);
        this.removedAlike = named(removed, name -> ofRequests && name.toString().indexOf('_') < 0);
        this.set = set;
        this.added = added;
        this.templates = templates;
    }

    private static FieldName[] named(FieldName[] all, Predicate<FieldName> which) {
        return Arrays.stream(all).filter(which).toArray(FieldName[]::new);
    }

    /** The parameters of the path that are named in it. */
    List<PathParameter> parameters() {
        return Arrays.stream(templates)
                .flatMap(template -> template.parameters().stream())
                .toList();
    }

    boolean isEmpty() {
        return removed.length + removedAlike.length + set.length + added.length + templates.length == 0;
    }

    /** Removes, sets, adds, and sets what has facts of the request in it. Allocates for the last only. */
    void applyTo(Head head, Exchange exchange) {
        for (FieldName name : removed) {
            head.remove(name);
        }
        for (FieldName name : removedAlike) {
            head.removeAlike(name);
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
