package net.oooops.sigma.http;

import java.nio.charset.StandardCharsets;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;

/**
 * One cookie, wherever it stands in the Cookie fields of requests (RFC 6265 section 4.2.1): finds it, and leaves it out of what goes
 * on. Pairs are separated by semicolons, space around them is no part of them, and the name ends at the first {@code =}.
 *
 * <p>Immutable, any thread; allocates nothing for fields as they were received.
 */
public final class RequestCookie {
    private static final FieldName COOKIE = FieldName.of("Cookie");
    private static final byte[] FIELD = Octets.ascii("Cookie: ");
    private static final byte[] BETWEEN = Octets.ascii("; ");
    private static final byte[] LINE_END = Octets.ascii("\r\n");

    private final byte[] name;

    /** @param name in ASCII, compared with letter case */
    public RequestCookie(String name) {
        this.name = Octets.ascii(name);
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
            if (head.added.get(i).name().equals(COOKIE)) {
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
            if (head.added.get(i).name().equals(COOKIE)) {
                withholdAdded(head, i);
            }
        }
    }

    private void withholdAdded(HttpRequestHead head, int index) {
        byte[] value = head.added.get(index).value().getBytes(StandardCharsets.ISO_8859_1);
        if (find(value, 0, value.length) == Span.NONE) {
            return;
        }
        HeadWriter others = new HeadWriter().begin();
        appendOthers(value, 0, value.length, others);
        String rest = others.text();
        head.added.replace(index, rest.isEmpty() ? null : Field.of(COOKIE, rest));
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
            int pairEnd = pairEnd(bytes, at, end);
            int from = skipSpace(bytes, at, pairEnd);
            int until = trimSpace(bytes, from, pairEnd);
            if (until > from && valueStart(bytes, from, until) < 0) {
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
        return COOKIE.matches(head.bytes, head.nameStart(field), head.nameEnd(field));
    }

    private long find(byte[] bytes, int start, int end) {
        int at = start;
        while (at < end) {
            int pairEnd = pairEnd(bytes, at, end);
            int from = skipSpace(bytes, at, pairEnd);
            int until = trimSpace(bytes, from, pairEnd);
            int value = valueStart(bytes, from, until);
            if (value >= 0) {
                return Span.of(skipSpace(bytes, value, until), until);
            }
            at = pairEnd + 1;
        }
        return Span.NONE;
    }

    /** Where the value of a pair begins that has the name; -1 for any other pair. */
    private int valueStart(byte[] bytes, int start, int end) {
        if (end - start <= name.length) {
            return -1;
        }
        for (int i = 0; i < name.length; i++) {
            if (bytes[start + i] != name[i]) {
                return -1;
            }
        }
        int equals = skipSpace(bytes, start + name.length, end);
        return equals < end && bytes[equals] == '=' ? equals + 1 : -1;
    }

    private static int pairEnd(byte[] bytes, int start, int end) {
        int at = start;
        while (at < end && bytes[at] != ';') {
            at++;
        }
        return at;
    }

    private static int skipSpace(byte[] bytes, int start, int end) {
        int at = start;
        while (at < end && isSpace(bytes[at])) {
            at++;
        }
        return at;
    }

    private static int trimSpace(byte[] bytes, int start, int end) {
        int at = end;
        while (at > start && isSpace(bytes[at - 1])) {
            at--;
        }
        return at;
    }

    private static boolean isSpace(byte b) {
        return b == Octets.SP || b == Octets.HT;
    }
}
