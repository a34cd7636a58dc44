package net.oooops.sigma.config;

import java.nio.charset.CharacterCodingException;
import java.util.List;
import net.oooops.sigma.config.JsonTokens.Token;
import org.jspecify.annotations.Nullable;

/**
 * Puts the text of a file of JSON in order, as {@code sigma fmt} does. Keys, values and comments stay as they are and in their order: what
 * changes is the space between them. What was formatted stays the same when it is formatted again.
 */
public final class JsonFormat {

    private static final char BYTE_ORDER_MARK = '\ufeff';

    private JsonFormat() {}

    /** What came of formatting a file. */
    public sealed interface Result {}

    /**
     * It is JSON.
     *
     * @param text how it should be written
     * @param same whether it was written so
     */
    public record Formatted(String text, boolean same) implements Result {}

    /**
     * It isn't.
     *
     * @param problems at least one, in the order of the file
     */
    public record Refused(List<Problem> problems) implements Result {
        public Refused {
            problems = List.copyOf(problems);
        }
    }

    /** Formats the bytes of a file: UTF-8, with or without a byte order mark, of which none is left. */
    public static Result format(byte[] file) {
        Problems problems = new Problems();
        String written = file.length > ConfigReader.FILE_BYTES_MAX ? null : decoded(file);
        if (written == null) {
            new JsonFile(
                            ConfigReader.FILE_BYTES_MAX,
                            "at most " + ConfigReader.FILE_BYTES_MAX + " bytes",
                            Source.UNNAMED,
                            problems)
                    .read(file);
            return new Refused(problems.sorted());
        }
        boolean marked = !written.isEmpty() && written.charAt(0) == BYTE_ORDER_MARK;
        String text = marked ? written.substring(1) : written;
        List<Token> tokens = JsonTokens.of(text);
        for (Token token : tokens) {
            if (JsonTokens.isUnfinished(token, text)) {
                problems.add(unfinished(text, token));
                return new Refused(problems.sorted());
            }
        }
        JsonReader.read(withoutComments(text, tokens), problems);
        if (!problems.isEmpty()) {
            return new Refused(problems.sorted());
        }
        String formatted = JsonPrinter.print(JsonLayout.of(text, tokens));
        return new Formatted(formatted, formatted.equals(written));
    }

    private static @Nullable String decoded(byte[] file) {
        try {
            return Utf8.decode(file, 0);
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** The text with spaces where comments are: all else at its place. */
    private static String withoutComments(String text, List<Token> tokens) {
        StringBuilder without = new StringBuilder(text);
        for (Token token : tokens) {
            for (int i = token.start(); token.isComment() && i < token.end(); i++) {
                if (text.charAt(i) != '\n' && text.charAt(i) != '\r') {
                    without.setCharAt(i, ' ');
                }
            }
        }
        return without.toString();
    }

    private static Problem unfinished(String text, Token comment) {
        int lineStart = text.lastIndexOf('\n', comment.start() - 1) + 1;
        int line = JsonTokens.lineEnds(text, 0, comment.start()) + 1;
        Place place = new Place(line, comment.start() - lineStart + 1, "");
        return new Problem(place, "a comment that doesn't end", "*/ at its end", null);
    }
}
