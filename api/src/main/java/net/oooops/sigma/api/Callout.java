package net.oooops.sigma.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request that a plugin makes on its own account while it has an exchange, by {@link Exchange#call}: to the nodes of a proxy-pass, with that one's
 * balancing, health, pools, TLS, timeouts and retries. It passes no plugins, and is in no access log.
 *
 * <p>Immutable, safe for use from any thread.
 */
public final class Callout {
    /** How large an answer's body may be where nothing else is said. */
    public static final int ANSWER_BYTES_MAX_DEFAULT = 64 * 1024;

    private static final Pattern AUTHORITY = Pattern.compile("([A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?");

    private final String method;
    private final String target;
    private final List<Field> fields;
    private final byte[] body;
    private final Terms terms;

    private Callout(String method, String target, List<Field> fields, byte[] body, Terms terms) {
        this.method = method;
        this.target = target;
        this.fields = fields;
        this.body = body;
        this.terms = terms;
    }

    private record Terms(
            int answerBytesMax,
            Body body,
            @Nullable Duration limit,
            boolean detached,
            @Nullable String host) {}

    /** What becomes of the body of an answer. */
    public enum Body {
        /** It is given whole, or there is no answer. */
        WHOLE,
        /**
         * An answer of 2xx is given without it, as soon as its head is there. That of another is given whole, or where it can't be, being too large or cut
         * off, the answer is given without it.
         */
        OF_OTHERS_WHERE_WHOLE,
        /** It is thrown away. */
        IGNORED
    }

    /**
     * A request without fields of its own and without a body.
     *
     * @param method such as GET
     * @param target path and query, as they stand in a request: they begin with {@code /}, and hold no space
     * @throws IllegalArgumentException where either can't stand in a request line
     */
    public static Callout of(String method, String target) {
        if (!FieldName.isToken(method)) {
            throw new IllegalArgumentException("method: \"" + method + "\" (expected: a token)");
        }
        if (!target.startsWith("/") || !target.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new IllegalArgumentException(
                    "target: \"" + target + "\" (expected: a path that begins with /, in printable ASCII)");
        }
        return new Callout(
                method,
                target,
                List.of(),
                new byte[0],
                new Terms(ANSWER_BYTES_MAX_DEFAULT, Body.WHOLE, null, false, null));
    }

    /**
     * The same, with these fields behind those that it has. What frames it (Content-Length, Transfer-Encoding, Connection, Host) is Sigma's.
     *
     * @throws IllegalArgumentException where one of them is such a field
     */
    public Callout with(List<Field> added) {
        List<Field> all = new ArrayList<>(fields);
        for (Field field : added) {
            if (field.name().isOfTheConnection()) {
                throw new IllegalArgumentException(field.name() + " (expected: a field that a plugin may set)");
            }
            all.add(field);
        }
        return new Callout(method, target, List.copyOf(all), body, terms);
    }

    /** The same, with that body. The array is copied. */
    public Callout body(byte[] content) {
        return new Callout(method, target, fields, content.clone(), terms);
    }

    /** The same, which fails where its answer's body has more than so many bytes. */
    public Callout answerBytesMax(int bytes) {
        return on(new Terms(bytes, terms.body, terms.limit, terms.detached, terms.host));
    }

    /**
     * The same, for those to whom the status is what counts. An answer of 2xx is given as soon as its head is there: its body is thrown away as it
     * comes, also when the exchange is over, so that its connection lasts. One that is longer than 64 KiB, or than it may be, or isn't complete a
     * second later, costs the connection. Any other answer is given with its body, or without where that is larger than it may be, or is cut off.
     */
    public Callout bodyOfOthersWhereWhole() {
        return on(new Terms(terms.answerBytesMax, Body.OF_OTHERS_WHERE_WHOLE, terms.limit, terms.detached, terms.host));
    }

    /** The same, of whose answer the body is thrown away: it is read as far as it may be large, so that its connection lasts, and cut off where there is more. */
    public Callout ignoringBody() {
        return on(new Terms(terms.answerBytesMax, Body.IGNORED, terms.limit, terms.detached, terms.host));
    }

    /** The same, which fails where its answer isn't there within that time. */
    public Callout within(Duration limit) {
        return on(new Terms(terms.answerBytesMax, terms.body, limit, terms.detached, terms.host));
    }

    /**
     * The same, which goes on when the exchange is over. Others end with it.
     *
     * @param atMost then it ends
     */
    public Callout detached(Duration atMost) {
        return on(new Terms(terms.answerBytesMax, terms.body, atMost, true, terms.host));
    }

    /**
     * The same, which asks under that host: node and forwarding fields name it, not the one that the exchange's client has asked for. Where the request
     * is sent is up to the proxy-pass all the same.
     *
     * @param authority a host and perhaps a port (RFC 3986 section 3.2)
     * @throws IllegalArgumentException where it is none
     */
    public Callout host(String authority) {
        if (!AUTHORITY.matcher(authority).matches()) {
            throw new IllegalArgumentException("host: \"" + authority + "\" (expected: a host and perhaps a port)");
        }
        return on(new Terms(terms.answerBytesMax, terms.body, terms.limit, terms.detached, authority));
    }

    private Callout on(Terms other) {
        return new Callout(method, target, fields, body, other);
    }

    /** The method. */
    public String method() {
        return method;
    }

    /** Path and query. */
    public String target() {
        return target;
    }

    /** The fields. */
    public List<Field> fields() {
        return fields;
    }

    /** How many bytes the body has. */
    public int bodyBytes() {
        return body.length;
    }

    /** Copies the body to {@code to} from {@code at} on and returns the position after it. */
    public int copyBodyTo(byte[] to, int at) {
        System.arraycopy(body, 0, to, at, body.length);
        return at + body.length;
    }

    /** How large the body of its answer may be, in bytes. */
    public int answerBytesMax() {
        return terms.answerBytesMax;
    }

    /** What becomes of the body of its answer. */
    public Body answerBody() {
        return terms.body;
    }

    /** How long it may take in all; null where that is up to the proxy-pass alone. */
    public @Nullable Duration limit() {
        return terms.limit;
    }

    /** Whether it goes on when the exchange is over. */
    public boolean isDetached() {
        return terms.detached;
    }

    /** The host that it asks under; null: the one that the exchange's client has asked for. */
    public @Nullable String host() {
        return terms.host;
    }

    @Override
    public String toString() {
        return method + " " + target;
    }
}
