package net.oooops.sigma.plugins.errorpages;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import net.oooops.sigma.api.ConnectionOptions;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.ResponseHead;

/**
 * A body, and what answers become that get it.
 *
 * @param type its Content-Type
 * @param body a response with that body, for any status
 * @param status of the answer; 0: the one that it had
 */
record Page(Field type, Response body, int status) {
    private static final Field NO_STORE = Field.of("Cache-Control", "no-store");

    /** What is said of the body that goes: its form (RFC 9110 section 8), its digests (RFC 9530), and how to ask for parts of it. */
    private static final Set<String> OF_THE_BODY = Set.of(
            "accept-ranges",
            "content-digest",
            "content-disposition",
            "content-encoding",
            "content-language",
            "content-location",
            "content-md5",
            "content-range",
            "content-type",
            "digest",
            "etag",
            "last-modified",
            "repr-digest");

    /** How long the answer with the status that it had may be kept (RFC 9111, RFC 9213). */
    private static final Set<String> OF_CACHES =
            Set.of("age", "cache-control", "cdn-cache-control", "expires", "pragma", "surrogate-control");

    /** The answer in the place of that one: with its fields, but for what they say of the body and, under another status, to caches. */
    Response inPlaceOf(ResponseHead head) {
        boolean other = status != 0 && status != head.status();
        List<Field> fields = new ArrayList<>();
        Set<FieldName> named = ConnectionOptions.of(head);
        for (String name : new LinkedHashSet<>(head.names())) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (!named.contains(FieldName.of(name))
                    && !OF_THE_BODY.contains(lower)
                    && !(other && OF_CACHES.contains(lower))) {
                add(FieldName.of(name), head, fields);
            }
        }
        fields.add(type);
        if (other) {
            fields.add(NO_STORE);
        }
        return body.with(other ? status : head.status(), fields);
    }

    private static void add(FieldName name, ResponseHead head, List<Field> to) {
        if (name.isOfTheConnection()) {
            return;
        }
        for (String value : head.values(name)) {
            if (Field.isValue(value)) {
                to.add(Field.of(name, value));
            }
        }
    }
}
