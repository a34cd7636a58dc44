package net.oooops.sigma.route;

/**
 * Brings the path of a request into the one form that is matched, given to plugins and forwarded (RFC 3986 section 6.2.2), so
 * that no upstream reads another path than the one the routes were asked for. To do so again changes nothing.
 *
 * <ul>
 *   <li>Percent-encoded unreserved characters are decoded ({@code %41} is {@code A}); the digits of all other triplets
 *       become upper case. Letter case of the path itself counts.
 *   <li>Repeated slashes become one, then dot segments are removed, also percent-encoded ones: {@code /a//../b} is {@code
 *       /b}, as nginx reads it.
 *   <li>{@code %2F} stays what it is: part of a segment, never a slash. {@code %25} stays too, so nothing is decoded twice.
 *   <li>Parameters of a segment ({@code ;v=1}) stay in the path and are passed over in matching.
 *   <li>{@link PathFault} says what is refused.
 * </ul>
 *
 * <p>Holds the array of its last result: one per connection or Worker, used on one thread. Allocates only to grow it.
 */
public final class PathNormalizer {
    private static final byte[] NONE = new byte[0];

    private byte[] bytes = NONE;

    /**
     * Whether {@code source[start, end)} is normalised and free of everything that needs a closer look: no percent sign,
     * semicolon or backslash, no two slashes in a row, no segment that begins with a dot. Such a path is used where it is.
     */
    public static boolean isPlain(byte[] source, int start, int end) {
        if (start >= end || source[start] != '/') {
            return false;
        }
        boolean afterSlash = false;
        for (int i = start; i < end; i++) {
            byte b = source[i];
            if (b <= '/') {
                if (b == '%' || b < 0 || (afterSlash && b >= '.')) {
                    return false;
                }
                afterSlash = b == '/';
            } else if (b == ';' || b == '\\') {
                return false;
            } else {
                afterSlash = false;
            }
        }
        return true;
    }

    /**
     * Normalises the path {@code source[start, end)}, a path without query, into {@link #bytes()}.
     *
     * @return the length of the normalised path, never more than that of the given one; or below 0 the {@linkplain
     *     PathFault#of(int) fault} for which it is refused
     */
    public int normalize(byte[] source, int start, int end) {
        return normalize(source, start, end, false);
    }

    /**
     * The same for what was made of a normalised path, in which dot segments are a fault: that had none any more, and what was put
     * in front of its rest must not be removed again.
     */
    public int normalizeRewritten(byte[] source, int start, int end) {
        return normalize(source, start, end, true);
    }

    private int normalize(byte[] source, int start, int end, boolean rewritten) {
        if (start >= end || source[start] != '/') {
            return PathFault.NOT_ABSOLUTE.code();
        }
        if (bytes.length < end - start) {
            bytes = new byte[Math.max(end - start, 2 * bytes.length)];
        }
        int length = PercentDecoder.decode(source, start, end, bytes);
        return length < 0 ? length : resolve(bytes, length, rewritten);
    }

    /** The array whose first bytes are the last normalised path; holds until the next call. */
    public byte[] bytes() {
        return bytes;
    }

    /** Removes empty and dot segments from {@code path[0, length)} where it is, and returns the new length. */
    private static int resolve(byte[] path, int length, boolean rewritten) {
        int from = 1;
        int to = 1; // path[0, to) is resolved and ends with a slash
        while (true) {
            int end = nextSlash(path, from, length);
            boolean last = end == length;
            if (rewritten && isDotSegment(path, from, end)) {
                return PathFault.DOT_SEGMENT.code();
            }
            if (isDots(path, from, end, 2)) {
                if (to == 1) {
                    return PathFault.ABOVE_ROOT.code();
                }
                to = afterSlashBefore(path, to - 1);
            } else if (isAmbiguous(path, from, end, last)) {
                return PathFault.AMBIGUOUS.code();
            } else if (from < end && !isDots(path, from, end, 1)) {
                int withSlash = last ? end : end + 1;
                System.arraycopy(path, from, path, to, withSlash - from);
                to += withSlash - from;
            }
            if (last) {
                return to;
            }
            from = end + 1;
        }
    }

    private static int nextSlash(byte[] path, int from, int length) {
        int at = from;
        while (at < length && path[at] != '/') {
            at++;
        }
        return at;
    }

    private static int afterSlashBefore(byte[] path, int end) {
        int at = end;
        while (path[at - 1] != '/') {
            at--;
        }
        return at;
    }

    private static boolean isDots(byte[] path, int from, int end, int count) {
        return end - from == count && path[from] == '.' && path[end - 1] == '.';
    }

    /** Whether the segment would be a dot segment, or none, to a server that cuts parameters or decodes %2F first. */
    private static boolean isAmbiguous(byte[] path, int from, int end, boolean last) {
        int part = from;
        for (int i = from; i < end; i++) {
            if (path[i] == ';') {
                return (i == from && !last) || isDotSegment(path, part, i);
            }
            if (path[i] == '%' && path[i + 1] == '2' && path[i + 2] == 'F') {
                if (isDotSegment(path, part, i)) {
                    return true;
                }
                part = i + 3;
            }
        }
        return part > from && isDotSegment(path, part, end);
    }

    private static boolean isDotSegment(byte[] path, int from, int end) {
        return isDots(path, from, end, 1) || isDots(path, from, end, 2);
    }
}
