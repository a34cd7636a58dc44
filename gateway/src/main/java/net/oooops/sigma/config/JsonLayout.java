package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.config.JsonTokens.Kind;
import net.oooops.sigma.config.JsonTokens.Token;
import org.jspecify.annotations.Nullable;

/**
 * A text of JSON as {@link JsonPrinter} writes it anew: what stands in what, as it was written, and where lines ended before. Values are never
 * read: each is the characters that it was.
 */
final class JsonLayout {

    /** What objects, arrays and the file hold: entries, and comments beside them. */
    sealed interface Item permits Comment, Entry {
        /** Whether a line ended before it. */
        boolean newLine();

        /** Whether an empty line stood before it. */
        boolean blank();
    }

    /**
     * A comment.
     *
     * @param toLineEnd whether it goes to the end of its line
     */
    record Comment(String text, boolean toLineEnd, boolean newLine, boolean blank) implements Item {}

    /**
     * A value, with its key in an object.
     *
     * @param key as it is written; null in an array
     * @param before comments between key and value
     * @param after comments behind the value that belong to it
     */
    record Entry(@Nullable String key, List<Comment> before, Value value, List<Comment> after, Gap gap)
            implements Item {
        @Override
        public boolean newLine() {
            return gap.newLine;
        }

        @Override
        public boolean blank() {
            return gap.blank;
        }
    }

    /** What stood before an item. */
    record Gap(boolean newLine, boolean blank) {
        private static final Gap NONE = new Gap(false, false);
    }

    /** What a key leads to. */
    sealed interface Value permits Scalar, Container {}

    /** A text, a number or a word, as it is written. */
    record Scalar(String text) implements Value {}

    /**
     * An object or an array.
     *
     * @param oneLine whether it was written on one line
     */
    record Container(char open, List<Item> items, boolean oneLine) implements Value {
        char close() {
            return open == '{' ? '}' : ']';
        }
    }

    private final String text;
    private final List<Token> tokens;
    private int at;

    private JsonLayout(String text, List<Token> tokens) {
        this.text = text;
        this.tokens = tokens;
    }

    /** What a file holds: one entry, and comments. The tokens are those of JSON. */
    static List<Item> of(String text, List<Token> tokens) {
        return new JsonLayout(text, tokens).items();
    }

    /** All up to the next closing bracket, or the end. */
    private List<Item> items() {
        List<Item> items = new ArrayList<>();
        Gap gap = Gap.NONE;
        while (at < tokens.size() && tokens.get(at).kind() != Kind.CLOSE) {
            int ends = lineEndsBefore();
            gap = new Gap(gap.newLine || ends > 0, gap.blank || ends > 1);
            if (tokens.get(at).kind() == Kind.COMMA) {
                at++;
                continue;
            }
            items.add(tokens.get(at).isComment() ? comment(gap) : entry(gap));
            gap = Gap.NONE;
        }
        return items;
    }

    private Comment comment(Gap gap) {
        Token token = tokens.get(at++);
        return new Comment(token.of(text), token.kind() == Kind.LINE_COMMENT, gap.newLine, gap.blank);
    }

    private List<Comment> comments() {
        List<Comment> comments = new ArrayList<>();
        while (at < tokens.size() && tokens.get(at).isComment()) {
            comments.add(comment(Gap.NONE));
        }
        return comments;
    }

    private Entry entry(Gap gap) {
        String key = null;
        List<Comment> before = new ArrayList<>();
        if (isKey()) {
            key = tokens.get(at++).of(text);
            before.addAll(comments());
            at++; // the colon
            before.addAll(comments());
        }
        Value value = value();
        List<Comment> after = new ArrayList<>();
        while (isBehindValue()) {
            after.add(comment(Gap.NONE));
        }
        return new Entry(key, before, value, after, gap);
    }

    private boolean isKey() {
        int next = at + 1;
        while (next < tokens.size() && tokens.get(next).isComment()) {
            next++;
        }
        return next < tokens.size() && tokens.get(next).kind() == Kind.COLON;
    }

    private Value value() {
        Token token = tokens.get(at++);
        if (token.kind() != Kind.OPEN) {
            return new Scalar(token.of(text));
        }
        List<Item> items = items();
        Token close = tokens.get(at++);
        boolean oneLine = JsonTokens.lineEnds(text, token.start(), close.end()) == 0;
        return new Container(text.charAt(token.start()), items, oneLine);
    }

    /** Whether there is a comment of one line right behind a value, before its comma. */
    private boolean isBehindValue() {
        if (at == tokens.size() || tokens.get(at).kind() != Kind.BLOCK_COMMENT) {
            return false;
        }
        Token comment = tokens.get(at);
        return lineEndsBefore() == 0 && JsonTokens.lineEnds(text, comment.start(), comment.end()) == 0;
    }

    private int lineEndsBefore() {
        return at == 0
                ? 0
                : JsonTokens.lineEnds(
                        text, tokens.get(at - 1).end(), tokens.get(at).start());
    }
}
