package net.oooops.sigma.plugins.staticresources;

import java.util.List;
import net.oooops.sigma.api.AcceptEncoding;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * What a request says about the file that it asks for, beside its name: read from its head on the event loop, to be looked at elsewhere.
 *
 * @param ifMatch entity tags, the values of all fields of that name; null where there is none, as all others
 * @param accept media types
 * @param acceptEncoding the values of all fields of that name; empty where there is none
 */
record Asked(
        @Nullable List<String> ifMatch,
        @Nullable String ifUnmodifiedSince,
        @Nullable List<String> ifNoneMatch,
        @Nullable String ifModifiedSince,
        @Nullable String range,
        @Nullable String ifRange,
        @Nullable String accept,
        List<String> acceptEncoding) {
    private static final FieldName IF_MATCH = FieldName.of("If-Match");
    private static final FieldName IF_UNMODIFIED_SINCE = FieldName.of("If-Unmodified-Since");
    private static final FieldName IF_NONE_MATCH = FieldName.of("If-None-Match");
    private static final FieldName IF_MODIFIED_SINCE = FieldName.of("If-Modified-Since");
    private static final FieldName RANGE = FieldName.of("Range");
    private static final FieldName IF_RANGE = FieldName.of("If-Range");
    private static final FieldName ACCEPT = FieldName.of("Accept");

    /** @param head whether the head of the answer is enough */
    static Asked of(RequestHead request, boolean head) {
        return new Asked(
                values(request, IF_MATCH),
                request.value(IF_UNMODIFIED_SINCE),
                values(request, IF_NONE_MATCH),
                request.value(IF_MODIFIED_SINCE),
                // Of HEAD it means nothing (RFC 9110 section 14.2), nor where there are two.
                head || request.values(RANGE).size() > 1 ? null : request.value(RANGE),
                request.value(IF_RANGE),
                all(request, ACCEPT),
                request.values(AcceptEncoding.NAME));
    }

    /** Whether the request wants the file as it is, whatever its version. Allocates nothing. */
    static boolean isPlain(RequestHead request) {
        return !request.has(IF_NONE_MATCH)
                && !request.has(IF_MODIFIED_SINCE)
                && !request.has(RANGE)
                && !request.has(IF_MATCH)
                && !request.has(IF_UNMODIFIED_SINCE);
    }

    private static @Nullable List<String> values(RequestHead request, FieldName name) {
        return request.has(name) ? request.values(name) : null;
    }

    private static @Nullable String all(RequestHead request, FieldName name) {
        if (!request.has(name)) {
            return null;
        }
        List<String> values = request.values(name);
        return values.size() == 1 ? values.getFirst() : String.join(", ", values);
    }

    /** Whether it names {@code text/html}, as browsers do where a person is to see the answer. */
    boolean acceptsHtml() {
        String types = accept;
        return types != null && types.contains("text/html");
    }
}
