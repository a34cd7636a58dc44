package net.oooops.sigma.plugins.faultinjection;

import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Which requests are meant.
 *
 * @param field that they have; null for all
 * @param value that it has; null for any
 */
record Condition(@Nullable FieldName field, @Nullable String value) {
    boolean holds(RequestHead request) {
        if (field == null) {
            return true;
        }
        return request.has(field) && (value == null || request.values(field).contains(value));
    }
}
