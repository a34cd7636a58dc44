package net.oooops.sigma.http;

/** What a client may write in the path and in the query of a target. Pure functions, any thread. */
public final class TargetText {
    private TargetText() {}

    /** Whether {@code path[start, end)} holds nothing but bytes of a path; triplets aren't looked into. Allocates nothing. */
    public static boolean isPath(byte[] path, int start, int end) {
        for (int i = start; i < end; i++) {
            if (!Octets.isPath(path[i])) {
                return false;
            }
        }
        return true;
    }

    /** Whether {@code text} holds nothing but characters of a path and whole triplets. */
    public static boolean isPath(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > 0x7F || !Octets.isPath((byte) c)) {
                return false;
            }
            boolean escape = c == '%';
            if (escape && (i + 2 >= text.length() || !isHex(text.charAt(i + 1)) || !isHex(text.charAt(i + 2)))) {
                return false;
            }
        }
        return true;
    }

    /** Whether {@code text} holds nothing but characters of a query. What isn't a triplet after a {@code %} is taken as it is, as from a client. */
    public static boolean isQuery(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > 0x7F || !Octets.isQuery((byte) c)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isHex(char c) {
        return c <= 0x7F && Octets.isHex((byte) c);
    }
}
