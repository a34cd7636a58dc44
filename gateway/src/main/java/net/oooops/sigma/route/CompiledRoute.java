package net.oooops.sigma.route;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.config.ValueMatch;
import org.jspecify.annotations.Nullable;

/**
 * A route whose path is known to match, with all its other conditions ready to be asked. Immutable.
 *
 * <p>Arrays, where lists would make an iterator for each request.
 */
final class CompiledRoute<T> {
    private static final FieldName CONTENT_TYPE = FieldName.of("Content-Type");
    private static final FieldName ACCEPT = FieldName.of("Accept");

    private static final HeaderTest[] NO_HEADERS = {};
    private static final ValueTest[] NO_QUERY = {};

    private final RouteRule<T> rule;
    /** That of the rule, one step nearer. */
    private final T target;

    /** Whether it is for every path. What else there is to its path, the tree knows. */
    private final boolean everything;

    private final List<String> methodNames;
    private final Ascii[] methods;
    private final List<MediaRange> consumes;
    private final List<MediaRange> produces;
    private final HeaderTest[] headers;
    private final ValueTest[] query;
    private final boolean unconditional;

    /**
     * @param path that of the rule, as read
     * @param taken its methods
     */
    CompiledRoute(RouteRule<T> rule, RoutePath path, TakenMethods taken) {
        this.rule = rule;
        target = rule.target();
        everything = path.isEverything();
        methodNames = taken.names();
        methods = taken.tokens();
        consumes = each(rule.consumes(), MediaRange::of);
        produces = each(rule.produces(), MediaRange::of);
        headers = each(rule.headers(), HeaderTest::new).toArray(NO_HEADERS);
        query = each(rule.query(), ValueTest::new).toArray(NO_QUERY);
        unconditional = methods.length == 0
                && consumes.isEmpty()
                && produces.isEmpty()
                && headers.length == 0
                && query.length == 0;
    }

    /** What is made of each; most routes have none, and a stream of nothing makes more garbage than all else here. */
    private static <A, B> List<B> each(List<A> written, Function<A, B> make) {
        if (written.isEmpty()) {
            return List.of();
        }
        List<B> made = new ArrayList<>(written.size());
        for (A one : written) {
            made.add(make.apply(one));
        }
        return List.copyOf(made);
    }

    private record HeaderTest(FieldName field, ValueTest test) {
        HeaderTest(ValueMatch match) {
            this(FieldName.of(match.name()), new ValueTest(match));
        }
    }

    RouteRule<T> rule() {
        return rule;
    }

    T target() {
        return target;
    }

    /** Whether it is for every path. */
    boolean isEverything() {
        return everything;
    }

    /** The methods that it takes, HEAD with GET; empty for every method. */
    List<String> methodNames() {
        return methodNames;
    }

    /** WINS where all conditions hold, else the first that does not. */
    Verdict judge(RouteQuery request) {
        if (unconditional) {
            return Verdict.WINS;
        }
        if (!takesMethod(request)) {
            return Verdict.METHOD;
        }
        if (!consumes.isEmpty() && !takesContent(request)) {
            return Verdict.CONSUMES;
        }
        if (!produces.isEmpty() && !Accept.admits(request.header(ACCEPT), produces)) {
            return Verdict.PRODUCES;
        }
        if (failedHeader(request) != null) {
            return Verdict.HEADER;
        }
        return failedQuery(request) == null ? Verdict.WINS : Verdict.QUERY;
    }

    /** Why {@link #judge} came to {@code verdict}: found and expected. */
    String reason(RouteQuery request, Verdict verdict) {
        return switch (verdict) {
            case METHOD -> "method (expected: " + String.join(", ", methodNames) + ")";
            case CONSUMES -> found("content-type", request.header(CONTENT_TYPE), String.join(", ", rule.consumes()));
            case PRODUCES -> found("accept", request.header(ACCEPT), String.join(", ", rule.produces()));
            case HEADER -> failedHeaderText(request);
            case QUERY -> failedQueryText(request);
            case PATH -> "path (expected: " + rule.path() + ")";
            case HOST ->
                "host (expected: " + (rule.host() == null ? "one without routes of its own" : rule.host()) + ")";
            case WINS, LESS_SPECIFIC -> "";
        };
    }

    private boolean takesMethod(RouteQuery request) {
        for (Ascii method : methods) {
            if (request.methodIs(method)) {
                return true;
            }
        }
        return methods.length == 0;
    }

    private boolean takesContent(RouteQuery request) {
        String written = request.header(CONTENT_TYPE);
        if (written == null && !request.hasBody()) {
            return true;
        }
        // RFC 9110 section 8.3: content without a type may be taken for this one.
        MediaRange type = written == null ? MediaRange.OCTET_STREAM : MediaRange.read(written);
        for (MediaRange range : consumes) {
            if (range.includes(type)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable HeaderTest failedHeader(RouteQuery request) {
        for (HeaderTest header : headers) {
            if (!header.test.holds(request.header(header.field))) {
                return header;
            }
        }
        return null;
    }

    private @Nullable ValueTest failedQuery(RouteQuery request) {
        for (ValueTest parameter : query) {
            if (!QueryParameters.hold(request.query(), parameter)) {
                return parameter;
            }
        }
        return null;
    }

    private String failedHeaderText(RouteQuery request) {
        HeaderTest failed = failedHeader(request);
        return failed == null
                ? ""
                : found("header " + failed.field, request.header(failed.field), failed.test.expected());
    }

    private String failedQueryText(RouteQuery request) {
        ValueTest failed = failedQuery(request);
        return failed == null ? "" : found("query", request.query(), failed.name() + " " + failed.expected());
    }

    private static String found(String what, @Nullable String value, String expected) {
        return what + ": " + (value == null ? "absent" : value) + " (expected: " + expected + ")";
    }
}
