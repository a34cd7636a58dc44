package net.oooops.sigma.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Field;

/**
 * One cookie, wherever it stands in the Cookie fields of requests: finds it as {@link CookieName} does, and leaves it out of what goes on.
 *
 * <p>Immutable, any thread; allocates nothing for fields as they were received.
 */
public final class RequestCookie {
    private static final byte[] FIELD = Octets.ascii("Cookie: ");
    private static final byte[] BETWEEN = Octets.ascii("; ");
    private static final byte[] LINE_END = Octets.ascii("\r\n");

    private final CookieName name;

    /** @param name compared with letter case */
    public RequestCookie(String name) {
        this.name = CookieName.of(name);
    }

    /** The values of all cookies of that name in the fields that go on, those of plugins behind the others. */
    static List<String> values(HttpRequestHead head, CookieName name) {
        List<String> values = List.of();
        for (int field = 0; field < head.fieldCount; field++) {
            if (!head.isRemoved(field) && isCookieField(head, field)) {
                values = with(values, name, head.bytes, Span.of(head.valueStart(field), head.valueEnd(field)));
            }
        }
        for (int i = 0; i < head.added.count(); i++) {
            if (head.added.get(i).name().equals(CookieName.FIELD)) {
                byte[] value = head.added.get(i).value().getBytes(StandardCharsets.ISO_8859_1);
                values = with(values, name, value, Span.of(0, value.length));
            }
        }
        return values;
    }

    /** Those values, and others where the field has any. */
    private static List<String> with(List<String> values, CookieName name, byte[] bytes, long field) {
        if (name.find(bytes, Span.start(field), Span.end(field)) < 0) {
            return values;
        }
        List<String> all = values.isEmpty() ? new ArrayList<>(1) : values;
        name.addTo(all, bytes, Span.start(field), Span.end(field));
        return all;
    }

    /**
     * Finds the value of the cookie in the fields as they were received, whatever plugins made of them.
     *
     * @param after a value that was found before, to find the next one; {@link Span#NONE} for the first
     * @return where it stands in {@link HttpRequestHead#received}, or {@link Span#NONE}
     */
    public long findReceived(HttpRequestHead head, long after) {
        int from = after == Span.NONE ? 0 : Span.end(after);
        for (int field = 0; field < head.fieldCount; field++) {
            if (head.valueEnd(field) > from && isCookieField(head, field)) {
                int start = Math.max(head.valueStart(field), from);
                long found = find(head.bytes, start, head.valueEnd(field));
                if (found != Span.NONE) {
                    return found;
                }
            }
        }
        return Span.NONE;
    }

    /**
     * Finds the value of the cookie in the fields that go on as they were received.
     *
     * @return where it stands in {@link HttpRequestHead#received}, or {@link Span#NONE}
     */
    public long find(HttpRequestHead head) {
        for (int field = 0; field < head.fieldCount; field++) {
            if (!head.isRemoved(field) && isCookieField(head, field)) {
                long found = find(head.bytes, head.valueStart(field), head.valueEnd(field));
                if (found != Span.NONE) {
                    return found;
                }
            }
        }
        return Span.NONE;
    }

    /** The value of the cookie in the first field of a plugin's that has it; empty where none has. */
    public String addedValue(HttpRequestHead head) {
        for (int i = 0; i < head.added.count(); i++) {
            if (head.added.get(i).name().equals(CookieName.FIELD)) {
                byte[] value = head.added.get(i).value().getBytes(StandardCharsets.ISO_8859_1);
                long found = find(value, 0, value.length);
                if (found != Span.NONE) {
                    return Octets.string(value, Span.start(found), Span.end(found));
                }
            }
        }
        return "";
    }

    /** Every Cookie field that has it isn't written by itself; {@link #writeOthers} writes what else is in them. */
    public void withhold(HttpRequestHead head) {
        for (int field = 0; field < head.fieldCount; field++) {
            if (head.isWritten(field)
                    && isCookieField(head, field)
                    && find(head.bytes, head.valueStart(field), head.valueEnd(field)) != Span.NONE) {
                head.mark(field, FieldSection.WITHHELD);
            }
        }
        for (int i = head.added.count() - 1; i >= 0; i--) {
            if (head.added.get(i).name().equals(CookieName.FIELD)) {
                withholdAdded(head, i);
            }
        }
    }

    private void withholdAdded(HttpRequestHead head, int index) {
        byte[] value = head.added.get(index).value().getBytes(StandardCharsets.ISO_8859_1);
        if (find(value, 0, value.length) == Span.NONE) {
            return;
        }
        String rest = name.without(head.added.get(index).value());
        head.added.replace(index, rest.isEmpty() ? null : Field.of(CookieName.FIELD, rest));
    }

    /** Writes the other cookies of the fields that were withheld, each field a line; none where it was alone. */
    public void writeOthers(HttpRequestHead head, HeadWriter out) {
        for (int field = 0; field < head.fieldCount; field++) {
            if (head.isWithheld(field)) {
                int before = out.length();
                out.append(FIELD);
                if (appendOthers(head.bytes, head.valueStart(field), head.valueEnd(field), out)) {
                    out.append(LINE_END);
                } else {
                    out.backTo(before);
                }
            }
        }
    }

    /** Whether there was any. */
    private boolean appendOthers(byte[] bytes, int start, int end, HeadWriter out) {
        boolean written = false;
        int at = start;
        while (at < end) {
            int pairEnd = CookieName.pairEnd(bytes, at, end);
            int from = CookieName.skipSpace(bytes, at, pairEnd);
            int until = CookieName.trimSpace(bytes, from, pairEnd);
            if (until > from && name.valueStart(bytes, from, until) < 0) {
                if (written) {
                    out.append(BETWEEN);
                }
                out.append(bytes, from, until);
                written = true;
            }
            at = pairEnd + 1;
        }
        return written;
    }

    private static boolean isCookieField(HttpRequestHead head, int field) {
        return CookieName.FIELD.matches(head.bytes, head.nameStart(field), head.nameEnd(field));
    }

    private long find(byte[] bytes, int start, int end) {
        int value = name.find(bytes, start, end);
        return value < 0 ? Span.NONE : Span.of(value, CookieName.valueEnd(bytes, value, end));
    }
}
