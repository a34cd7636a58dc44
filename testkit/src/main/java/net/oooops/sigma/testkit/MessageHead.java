package net.oooops.sigma.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * The start line and the header lines of a message, parsed from the bytes between which nothing is forgiven (RFC 9112 sections
 * 2.2, 5 and 5.1).
 */
record MessageHead(String startLine, Headers headers) {
    private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

    /** Parses a head that ends with its empty line. */
    static MessageHead parse(byte[] head) {
        String text = Wire.latin1(head);
        List<String> lines = lines(text.substring(0, text.length() - 2));
        if (lines.isEmpty()) {
            throw new Malformed("start line: empty (expected: a request or status line)");
        }
        return new MessageHead(lines.get(0), headers(lines.subList(1, lines.size())));
    }

    /** Parses header or trailer lines, given without their line ends. */
    static Headers headers(List<String> lines) {
        List<Header> headers = new ArrayList<>(lines.size());
        for (String line : lines) {
            headers.add(header(line));
        }
        return new Headers(headers);
    }

    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            int to = text.indexOf("\r\n", from);
            String line = text.substring(from, to);
            if (line.indexOf('\r') >= 0 || line.indexOf('\n') >= 0 || line.indexOf('\0') >= 0) {
                throw malformed("bare CR, LF or NUL in line", line);
            }
            lines.add(line);
            from = to + 2;
        }
        return lines;
    }

    private static Header header(String line) {
        int colon = line.indexOf(':');
        if (colon <= 0) {
            throw malformed("header line without a name and a colon", line);
        }
        String name = line.substring(0, colon);
        if (!name.chars().allMatch(MessageHead::isTokenChar)) {
            throw malformed("header name with a byte that is none of a token", line);
        }
        return new Header(name, stripSpace(line.substring(colon + 1)));
    }

    static boolean isTokenChar(int c) {
        return (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || TOKEN_MARKS.indexOf(c) >= 0;
    }

    /** Only SP and HTAB are optional white space; {@link String#strip()} takes away more. */
    private static String stripSpace(String value) {
        int from = 0;
        int to = value.length();
        while (from < to && isSpace(value.charAt(from))) {
            from++;
        }
        while (to > from && isSpace(value.charAt(to - 1))) {
            to--;
        }
        return value.substring(from, to);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    private static Malformed malformed(String problem, String line) {
        return new Malformed(problem + ": \"" + Wire.show(Wire.latin1(line)) + "\"");
    }
}
