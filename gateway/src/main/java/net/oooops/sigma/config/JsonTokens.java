package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;

/**
 * The tokens of a text that should be JSON, with comments of both kinds ({@code //} to the line's end, and between slashes and stars) among
 * them. Any text has tokens: whether they make sense together is for others to say.
 */
final class JsonTokens {

    /** What a token is. */
    enum Kind {
        OPEN,
        CLOSE,
        COMMA,
        COLON,
        /** A text, a number, a word. */
        SCALAR,
        LINE_COMMENT,
        BLOCK_COMMENT
    }

    /**
     * One token.
     *
     * @param start where it begins in the text
     * @param end where the next one may begin; of a comment to the line's end, before that
     */
    record Token(Kind kind, int start, int end) {
        boolean isComment() {
            return kind == Kind.LINE_COMMENT || kind == Kind.BLOCK_COMMENT;
        }

        String of(String text) {
            return text.substring(start, end);
        }
    }

    private static final String SPACES = " \t\n\r";
    private static final String STRUCTURE = "{}[],:";

    private final String text;
    private int at;

    private JsonTokens(String text) {
        this.text = text;
    }

    /** All tokens of a text, in their order. */
    static List<Token> of(String text) {
        JsonTokens tokens = new JsonTokens(text);
        List<Token> found = new ArrayList<>();
        while (true) {
            while (tokens.at < text.length() && SPACES.indexOf(text.charAt(tokens.at)) >= 0) {
                tokens.at++;
            }
            if (tokens.at == text.length()) {
                return found;
            }
            found.add(tokens.next());
        }
    }

    /** Whether a comment between slashes and stars lacks its end. */
    static boolean isUnfinished(Token token, String text) {
        return token.kind == Kind.BLOCK_COMMENT
                && (token.end - token.start < 4 || !text.startsWith("*/", token.end - 2));
    }

    /** How many lines end between two places of a text. */
    static int lineEnds(String text, int from, int end) {
        int count = 0;
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            boolean first = c == '\r' && i + 1 < end && text.charAt(i + 1) == '\n';
            if ((c == '\n' || c == '\r') && !first) {
                count++;
            }
        }
        return count;
    }

    private Token next() {
        int start = at;
        Kind kind = kind();
        switch (kind) {
            case LINE_COMMENT -> at = lineEnd(at);
            case BLOCK_COMMENT -> {
                int end = text.indexOf("*/", at + 2);
                at = end < 0 ? text.length() : end + 2;
            }
            case SCALAR -> at = text.charAt(at) == '"' ? stringEnd() : wordEnd();
            default -> at++;
        }
        return new Token(kind, start, at);
    }

    private Kind kind() {
        return switch (text.charAt(at)) {
            case '{', '[' -> Kind.OPEN;
            case '}', ']' -> Kind.CLOSE;
            case ',' -> Kind.COMMA;
            case ':' -> Kind.COLON;
            default -> commentOrScalar();
        };
    }

    private Kind commentOrScalar() {
        if (text.startsWith("//", at)) {
            return Kind.LINE_COMMENT;
        }
        return text.startsWith("/*", at) ? Kind.BLOCK_COMMENT : Kind.SCALAR;
    }

    private int lineEnd(int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
            end++;
        }
        return end;
    }

    /** Behind the quote that closes it; where there is none in its line, the line's end. */
    private int stringEnd() {
        int end = lineEnd(at);
        for (int i = at + 1; i < end; i++) {
            char c = text.charAt(i);
            if (c == '"') {
                return i + 1;
            }
            if (c == '\\') {
                i++;
            }
        }
        return end;
    }

    private int wordEnd() {
        int end = at + 1;
        while (end < text.length() && !endsWord(end)) {
            end++;
        }
        return end;
    }

    private boolean endsWord(int i) {
        char c = text.charAt(i);
        return SPACES.indexOf(c) >= 0
                || STRUCTURE.indexOf(c) >= 0
                || c == '"'
                || text.startsWith("//", i)
                || text.startsWith("/*", i);
    }
}
