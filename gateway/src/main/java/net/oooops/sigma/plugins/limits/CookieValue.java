package net.oooops.sigma.plugins.limits;

/** Where a cookie's value stands in a field {@code Cookie} (RFC 6265 section 4.2). Pure functions, no allocation. */
final class CookieValue {
    private CookieValue() {}

    /** Where the value of the first cookie of that name begins, letter case included; -1 where there is none. */
    static int find(String pairs, String name) {
        int at = 0;
        while (at < pairs.length()) {
            if (pairs.startsWith(name, at)
                    && at + name.length() < pairs.length()
                    && pairs.charAt(at + name.length()) == '=') {
                return at + name.length() + 1;
            }
            int semicolon = pairs.indexOf(';', at);
            if (semicolon < 0) {
                return -1;
            }
            at = semicolon + 1;
            while (at < pairs.length() && isSpace(pairs.charAt(at))) {
                at++;
            }
        }
        return -1;
    }

    /** Where the value that begins there ends. */
    static int end(String pairs, int from) {
        int end = pairs.indexOf(';', from);
        if (end < 0) {
            end = pairs.length();
        }
        while (end > from && isSpace(pairs.charAt(end - 1))) {
            end--;
        }
        return end;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }
}
