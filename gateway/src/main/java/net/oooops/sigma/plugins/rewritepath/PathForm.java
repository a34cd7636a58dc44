package net.oooops.sigma.plugins.rewritepath;

/** The form of a normalised path. */
final class PathForm {
    private static final String EXTRAS = "/-._~!$&'()*+,;=:@[]|^";

    private PathForm() {}

    /** {@code path} with a slash in front and no two in a row. */
    static String withSingleSlashes(String path) {
        StringBuilder form = new StringBuilder(path.length() + 1).append('/');
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c != '/' || form.charAt(form.length() - 1) != '/') {
                form.append(c);
            }
        }
        return form.toString();
    }

    /** Whether a segment between two slashes of {@code text} is {@code .} or {@code ..} (RFC 3986 section 3.3). */
    static boolean hasDotSegmentInside(String text) {
        return text.contains("/./") || text.contains("/../");
    }

    /** Whether {@code text} holds nothing but percent-encoded bytes and what a client may write in a path. */
    static boolean isWritten(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                if (!isHexAt(text, i + 1) || !isHexAt(text, i + 2)) {
                    return false;
                }
                i += 2;
            } else if (!isAlphanumeric(c) && EXTRAS.indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isHexAt(String text, int at) {
        return at < text.length() && text.charAt(at) <= 0x7F && Character.digit(text.charAt(at), 16) >= 0;
    }

    private static boolean isAlphanumeric(char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    }
}
