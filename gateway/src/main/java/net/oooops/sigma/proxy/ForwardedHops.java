package net.oooops.sigma.proxy;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.http.FieldSection;
import net.oooops.sigma.http.FieldValues;
import net.oooops.sigma.http.ForwardedElements;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Span;
import org.jspecify.annotations.Nullable;

/**
 * One walk along the proxies that a forwarding field names, as it was received, from the client's end to the peer's.
 *
 * <p>Each element was written by the proxy that the next one names, the last one by the peer. So what stands before an element that names no
 * trusted proxy is nobody's word, and forgotten: what is left at the end is the rightmost address that is no trusted proxy's, or the leftmost where
 * all are. An element that names no address is where it ends, too; so is a line that is malformed.
 */
final class ForwardedHops {
    private static final byte[] HTTPS = Octets.ascii("https");

    /** What one element says. */
    private record Hop(@Nullable IpAddress node, boolean sayingScheme, boolean https) {}

    private final Forwarding trust;
    private final List<Hop> hops = new ArrayList<>();
    private @Nullable IpAddress client;
    private boolean schemeSaid;
    private boolean https;

    ForwardedHops(Forwarding trust) {
        this.trust = trust;
    }

    /** The client's address; null where the field names none. */
    @Nullable IpAddress client() {
        return client;
    }

    /** Whether the field says how the client came. */
    boolean saysScheme() {
        return schemeSaid;
    }

    /** Whether that was over https. */
    boolean isHttps() {
        return https;
    }

    /** Walks along all lines of X-Forwarded-For. There are no quotes in it. */
    ForwardedHops alongXForwardedFor(FieldSection head) {
        int field = FieldValues.next(head, KnownField.X_FORWARDED_FOR, -1);
        for (; field >= 0; field = FieldValues.next(head, KnownField.X_FORWARDED_FOR, field)) {
            long line = FieldValues.value(head, field);
            int end = Span.end(line);
            for (int at = Span.start(line); at <= end; ) {
                int comma = comma(head.bytes(), at, end);
                long element = bare(head.bytes(), at, comma);
                hops.add(new Hop(
                        ForwardedElements.node(head.bytes(), Span.start(element), Span.end(element)), false, false));
                at = comma + 1;
            }
        }
        return settle();
    }

    /** Walks along all lines of Forwarded. */
    ForwardedHops alongForwarded(FieldSection head) {
        int field = FieldValues.next(head, KnownField.FORWARDED, -1);
        for (; field >= 0; field = FieldValues.next(head, KnownField.FORWARDED, field)) {
            long line = FieldValues.value(head, field);
            ForwardedElements elements = new ForwardedElements(head.bytes(), Span.start(line), Span.end(line));
            while (elements.next()) {
                hops.add(new Hop(elements.node(), elements.saysScheme(), elements.isHttps()));
            }
            if (elements.isMalformed()) {
                hops.add(new Hop(null, false, false));
            }
        }
        return settle();
    }

    /** Takes the last word of X-Forwarded-Proto, that of the nearest proxy: who has written those before it, nothing says. */
    ForwardedHops lastOfXForwardedProto(FieldSection head) {
        int field = FieldValues.next(head, KnownField.X_FORWARDED_PROTO, -1);
        for (; field >= 0; field = FieldValues.next(head, KnownField.X_FORWARDED_PROTO, field)) {
            long line = FieldValues.value(head, field);
            int start = Span.end(line);
            while (start > Span.start(line) && head.bytes()[start - 1] != ',') {
                start--;
            }
            long word = bare(head.bytes(), start, Span.end(line));
            schemeSaid = Span.start(word) < Span.end(word);
            https = Octets.equalsIgnoreCase(head.bytes(), Span.start(word), Span.end(word), HTTPS);
        }
        return this;
    }

    /** Whom to trust is asked from the peer's end, as far as they are: a client may write thousands of elements before. */
    private ForwardedHops settle() {
        int from = hops.size() - 1;
        while (from > 0 && isTrusted(hops.get(from))) {
            from--;
        }
        for (int i = Math.max(0, from); i < hops.size(); i++) {
            Hop hop = hops.get(i);
            if (client == null) {
                client = hop.node;
            }
            if (!schemeSaid) {
                schemeSaid = hop.sayingScheme;
                https = hop.https;
            }
        }
        return this;
    }

    private boolean isTrusted(Hop hop) {
        return hop.node != null && trust.isTrustedProxy(hop.node);
    }

    private static int comma(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] != ',') {
            at++;
        }
        return at;
    }

    /** Without the blanks around it. */
    private static long bare(byte[] bytes, int from, int end) {
        int start = from;
        int stop = end;
        while (start < stop && isBlank(bytes[start])) {
            start++;
        }
        while (stop > start && isBlank(bytes[stop - 1])) {
            stop--;
        }
        return Span.of(start, stop);
    }

    private static boolean isBlank(byte b) {
        return b == Octets.SP || b == Octets.HT;
    }
}
