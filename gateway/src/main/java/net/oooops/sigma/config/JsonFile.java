package net.oooops.sigma.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import net.oooops.sigma.ask.FileAnswers;
import org.jspecify.annotations.Nullable;

/** Reads a file of JSON or YAML: UTF-8, with or without a byte order mark, of bounded size. Whatever keeps it from that is a problem. */
final class JsonFile {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final int bytesMax;
    private final String atMost;
    private final Source source;
    private final Problems problems;
    private int bytesCount;
    private boolean unanswered;

    /**
     * @param bytesMax the longest file that is read
     * @param atMost the same in words
     * @param source what it is called
     */
    JsonFile(int bytesMax, String atMost, Source source, Problems problems) {
        this.bytesMax = bytesMax;
        this.atMost = atMost;
        this.source = source;
        this.problems = problems;
    }

    /** What it is called. */
    Source source() {
        return source;
    }

    /** How long it is; 0 where it isn't read, or is too long. */
    int bytesCount() {
        return bytesCount;
    }

    /** Whether it didn't answer in time. */
    boolean isUnanswered() {
        return unanswered;
    }

    /** The value in a file, with what the texts have of it, or null where there is a problem instead. */
    @Nullable Json read(Path file, ConfigTexts texts) {
        try {
            return read(texts.read(file, bytesMax), texts.routes(file));
        } catch (IOException e) {
            unanswered = e instanceof FileAnswers.Unanswered;
            return refused(0, 0, Unreadable.words(file, e), "a file that can be read");
        }
    }

    /** The value in the bytes of a file, or null where there is a problem instead. */
    @Nullable Json read(byte[] json) {
        return read(json, null);
    }

    /** @param routes gets those that are in it; null where nobody asks for them */
    private @Nullable Json read(byte[] bytes, @Nullable RouteTexts routes) {
        if (bytes.length > bytesMax) {
            return refused(0, 0, "a file of more bytes", atMost);
        }
        bytesCount = bytes.length;
        try {
            String text = text(bytes);
            // Classes of YAML are loaded only where there is some.
            if (source.yaml()) {
                return YamlReader.read(text, source, problems);
            }
            int start = valueStart(text);
            boolean json = start == text.length() || text.charAt(start) == '{' || text.charAt(start) == '[';
            return json ? JsonReader.read(text, source, problems, routes) : noJson(text, start);
        } catch (CharacterCodingException e) {
            return notUtf8(bytes, start(bytes));
        }
    }

    /** The text of a file. */
    static String text(byte[] json) throws CharacterCodingException {
        return Utf8.decode(json, start(json));
    }

    private static int start(byte[] json) {
        return startsWithMark(json) ? BYTE_ORDER_MARK.length : 0;
    }

    private static boolean startsWithMark(byte[] json) {
        for (int i = 0; i < BYTE_ORDER_MARK.length; i++) {
            if (json.length <= i || json[i] != BYTE_ORDER_MARK[i]) {
                return false;
            }
        }
        return true;
    }

    /** Where the first value begins: behind spaces and comments, also those after #. */
    private static int valueStart(String text) {
        int at = 0;
        while (at < text.length()) {
            boolean block = text.startsWith("/*", at);
            if (block || text.startsWith("//", at) || text.charAt(at) == '#') {
                int end = block ? text.indexOf("*/", at + 2) : text.indexOf('\n', at);
                at = end < 0 ? text.length() : end + (block ? 2 : 1);
            } else if (Character.isWhitespace(text.charAt(at))) {
                at++;
            } else {
                break;
            }
        }
        return at;
    }

    /** Whatever it is, it may be nobody's business: nothing of it is shown. */
    private @Nullable Json noJson(String text, int start) {
        int line = (int) text.substring(0, start).chars().filter(c -> c == '\n').count() + 1;
        int column = start - text.lastIndexOf('\n', start - 1);
        String expected = "one, which begins with {; YAML is read from files named .yaml or .yml";
        return refused(line, column, "no JSON object", expected);
    }

    private @Nullable Json notUtf8(byte[] json, int start) {
        String before = Utf8.decodable(json, start);
        int line = (int) before.chars().filter(c -> c == '\n').count() + 1;
        int column = before.length() - before.lastIndexOf('\n');
        return refused(line, column, "a byte that is not UTF-8", "a file in UTF-8");
    }

    private @Nullable Json refused(int line, int column, String found, String expected) {
        problems.add(new Problem(new Place(source.name(), line, column, ""), found, expected, null));
        return null;
    }
}
