package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.oooops.sigma.config.JsonTokens.Kind;
import net.oooops.sigma.config.JsonTokens.Token;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class JsonFormatTest {
    private static final int DOCUMENTS = 3000;

    private static String format(String text) {
        JsonFormat.Result result = JsonFormat.format(text.getBytes(StandardCharsets.UTF_8));
        assertThat(result).as(text).isInstanceOf(JsonFormat.Formatted.class);
        return ((JsonFormat.Formatted) result).text();
    }

    private static String refusal(byte[] file) {
        JsonFormat.Result result = JsonFormat.format(file);
        assertThat(result).isInstanceOf(JsonFormat.Refused.class);
        return ((JsonFormat.Refused) result).problems().getFirst().text("sigma.json");
    }

    @Test
    void eachEntryHasALineWhereALineEnded() {
        assertThat(format("{\"a\":1,\n\"b\":[1,2],\"c\":{\"d\" : null}}")).isEqualTo("""
                        {
                          "a": 1,
                          "b": [1, 2],
                          "c": { "d": null }
                        }
                        """);
    }

    @Test
    void whatWasOnOneLineStaysOnOne() {
        assertThat(format("{\"a\":[{\"b\":1},{}],\"c\":[ ]}")).isEqualTo("{ \"a\": [{ \"b\": 1 }, {}], \"c\": [] }\n");
    }

    @Test
    void untilItIsTooLong() {
        String fits = "{ \"a\": \"" + "x".repeat(109) + "\" }";
        assertThat(fits).hasSize(JsonPrinter.COLUMNS_MAX);
        assertThat(format(fits)).isEqualTo(fits + "\n");
        assertThat(format(fits.replace("x\"", "xx\""))).isEqualTo("{\n  \"a\": \"" + "x".repeat(110) + "\"\n}\n");
        String inArray = "[\n  " + fits.replace("xxx\"", "\"") + ",\n  1\n]";
        assertThat(format(inArray)).isEqualTo(inArray + "\n");
        String comma = "[\n  " + fits.replace("xx\"", "\"") + ",\n  1\n]";
        assertThat(format(comma)).startsWith("[\n  {\n    \"a\"");
    }

    @Test
    void charactersCountAndNotTheirBytes() {
        String fits = "{ \"a\": \"" + "é😀".repeat(54) + "x\" }";
        assertThat(format(fits)).isEqualTo(fits + "\n");
    }

    @Test
    void oneEmptyLineIsKeptBetweenEntries() {
        assertThat(format("\n\n{\n\n\"a\":1,\n\n\n\"b\":2\n\n}\n\n")).isEqualTo("""
                        {
                          "a": 1,

                          "b": 2
                        }
                        """);
    }

    @Test
    void commentsStayWhereTheyAre() {
        assertThat(format("""
                                // the file
                                {   // begins
                                   // of a
                                 "a"  :1 , // behind a
                                 /* of b */ "b": /* in b */ 2 /* after b */,
                                     /* alone
                                          * and long
                                     */
                                 "c": [1 /* one */, /* two */ 2], "d": { /* none */ },
                                 "e": // below
                                   { "f": 1 }
                                   // the end
                                }  // of all
                                /* and more */""")).isEqualTo("""
                        // the file
                        { // begins
                          // of a
                          "a": 1, // behind a
                          /* of b */ "b": /* in b */ 2 /* after b */,
                          /* alone
                           * and long
                           */
                          "c": [1 /* one */, /* two */ 2],
                          "d": { /* none */ },
                          "e": // below
                            { "f": 1 }
                          // the end
                        } // of all
                        /* and more */
                        """);
    }

    @Test
    void aCommentBeforeACommaIsBehindIt() {
        assertThat(format("[1 // one\n, 2\n// two\n, 3]")).isEqualTo("[\n  1, // one\n  2,\n  // two\n  3\n]\n");
    }

    @Test
    void whatLooksLikeACommentInATextIsNone() {
        String url = "{ \"a\": \"http://x /* y\", \"b\": \"\\\"// z\" }\n";
        assertThat(format(url)).isEqualTo(url);
    }

    @Test
    void valuesAreNeverReadAnew() {
        String odd = "[1.50e+03, -0, 12345678901234567890.0, \"\\u00e9\\/é\", true, null]\n";
        assertThat(format(odd)).isEqualTo(odd);
    }

    @Test
    void aByteOrderMarkAndLineEndsOfOthersGo() {
        assertThat(format("\ufeff{\r\n\"a\":1,\r\"b\":2\r\n}\r\n/* c\r\n d */"))
                .isEqualTo("{\n  \"a\": 1,\n  \"b\": 2\n}\n/* c\n d */\n");
        assertThat(JsonFormat.format("\ufeff{}\n".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(new JsonFormat.Formatted("{}\n", false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | sigma.json:1:1: an empty file (expected: a JSON object)",
                "// nothing | sigma.json:1:1: an empty file (expected: a JSON object)",
                "{\"a\": 1,} | sigma.json:1:9: a comma before } (expected: no comma after the last entry)",
                "/* a */ {\"a\" 1} | sigma.json:1:14: 1 (expected: a colon between key and value)",
                "{\"a\": 1 /* b } | sigma.json:1:9: a comment that doesn't end (expected: */ at its end)",
                "{\"a\": 1, \"a\": 2} | sigma.json:1:10 /a: key \"a\" a second time (expected: each key once; it is in line 1)",
                "a: b | sigma.json:1:1: a (expected: a value: an object, an array, a text in \", a number, true, false or null)"
            })
    void whatIsntJsonIsRefusedWithItsPlace(String text, String problem) {
        assertThat(refusal(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(problem);
    }

    @Test
    void whatIsntUtf8OrTooLongIsRefused() {
        assertThat(refusal(new byte[] {'{', '\n', (byte) 0xff})).startsWith("sigma.json:2:1: a byte that is not UTF-8");
        assertThat(refusal(new byte[ConfigReader.FILE_BYTES_MAX + 1])).startsWith("sigma.json: a file of more bytes");
    }

    static Stream<Path> files() throws IOException {
        try (Stream<Path> examples = Files.list(TestFiles.checkout().resolve("examples"))) {
            return Stream.concat(
                    TestFiles.goldenInputs().stream(),
                    examples.filter(file -> file.toString().endsWith(".json")).toList().stream());
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyFileThatIsJsonKeepsAllThatIsInIt(Path file) throws IOException {
        byte[] written = Files.readAllBytes(file);
        if (JsonFormat.format(written) instanceof JsonFormat.Formatted formatted) {
            assertKeptAndDone(new String(written, StandardCharsets.UTF_8), formatted.text());
            assertThat(formatted.same() || !file.startsWith(TestFiles.checkout().resolve("examples")))
                    .as("formatted by sigma fmt")
                    .isTrue();
        } else {
            assertThat(refusal(written)).isNotEmpty();
        }
    }

    @Test
    void soDoDocumentsOfAnyKind() {
        Random random = new Random(25);
        for (int i = 0; i < DOCUMENTS; i++) {
            String text = new Documents(random).document();
            assertKeptAndDone(text, format(text));
        }
    }

    // All tokens are there, and formatting again changes nothing; no line ends with a space.
    static void assertKeptAndDone(String before, String after) {
        assertThat(kept(after, false)).isEqualTo(kept(before, false));
        assertThat(kept(after, true)).isEqualTo(kept(before, true));
        assertThat(format(after)).as(before).isEqualTo(after);
        assertThat(after).endsWith("\n").doesNotContainPattern("[ \t\r]\n");
        assertThat(after.lines().allMatch(line -> !line.isBlank() || line.isEmpty()))
                .isTrue();
        Problems problems = new Problems();
        Json was = JsonReader.read(plain(before), problems);
        Json is = JsonReader.read(plain(after), problems);
        assertThat(problems.isEmpty()).isTrue();
        assertThat(is == null ? null : is.plain()).isEqualTo(was == null ? null : was.plain());
    }

    // Without comments.
    private static String plain(String text) {
        StringBuilder plain = new StringBuilder();
        for (Token token : JsonTokens.of(unmarked(text))) {
            if (!token.isComment()) {
                plain.append(token.of(unmarked(text))).append(' ');
            }
        }
        return plain.toString();
    }

    private static String unmarked(String text) {
        return text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    // The comments of a text, or all its other tokens, without the space that may change in them.
    private static List<String> kept(String text, boolean comments) {
        List<String> kept = new ArrayList<>();
        for (Token token : JsonTokens.of(unmarked(text))) {
            if (token.isComment() == comments) {
                String of = token.of(unmarked(text));
                kept.add(comments ? of.replaceAll("\\s+", " ").strip() : of);
            }
        }
        return kept;
    }

    @Test
    void tokensHaveTheirKinds() {
        assertThat(JsonTokens.of("{\"a\":1}//b\n/*c*/").stream().map(Token::kind))
                .containsExactly(
                        Kind.OPEN,
                        Kind.SCALAR,
                        Kind.COLON,
                        Kind.SCALAR,
                        Kind.CLOSE,
                        Kind.LINE_COMMENT,
                        Kind.BLOCK_COMMENT);
    }

    // Writes documents with space and comments wherever they may be.
    private record Documents(Random random) {
        String document() {
            return gap() + value(0) + gap();
        }

        private String value(int depth) {
            return switch (random.nextInt(depth > 4 ? 3 : 6)) {
                case 0 -> "\"" + (random.nextBoolean() ? "t//" : "\\\"/*") + "x".repeat(random.nextInt(60)) + "\"";
                case 1 -> "-1.50e3";
                case 2 -> "null";
                case 3, 4 -> "{" + entries(depth, true) + "}";
                default -> "[" + entries(depth, false) + "]";
            };
        }

        private String entries(int depth, boolean keys) {
            StringBuilder text = new StringBuilder(gap());
            int count = random.nextInt(4);
            for (int i = 0; i < count; i++) {
                text.append(i > 0 ? "," + gap() : "");
                text.append(keys ? "\"k" + i + "\"" + gap() + ":" + gap() : "");
                text.append(value(depth + 1)).append(gap());
            }
            return text.toString();
        }

        private String gap() {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(4); i > 0; i--) {
                text.append(
                        switch (random.nextInt(12)) {
                            case 0, 1 -> "\n";
                            case 2 -> "\r\n";
                            case 3 -> "\n\n\n";
                            case 4 -> "// to the end \n";
                            case 5 -> "/* in between */";
                            case 6 -> "/* over\n   * lines \n*/";
                            case 7 -> "/* over\r\n  lines, { \" \n\n\t*/";
                            default -> " ";
                        });
            }
            return text.toString();
        }
    }
}
