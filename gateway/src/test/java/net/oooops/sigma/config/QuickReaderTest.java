package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What it reads is what Jackson reads, at the same places; what it leaves has something that isn't right, or is out of the ordinary. */
class QuickReaderTest {
    private static final Source SOURCE = new Source("a.json", Path.of("/"), false);
    private static final String PIECES = "{}[]:,\"\\/*#-+.0123456789eEtfn \t\r\nabu\u0001\u00e9\u2028";
    private static final int CHANGES = 1200;

    private static @Nullable Json quick(String text) {
        return QuickReader.read(text, SOURCE, null);
    }

    /** Whether it was read, and then as Jackson reads it. */
    private static boolean isReadAlike(String text) {
        Json quick = quick(text);
        if (quick == null) {
            return false;
        }
        Problems problems = new Problems();
        Json slow = JsonReader.readFaulty(text, SOURCE, problems);
        assertThat(problems.sorted()).as(text).isEmpty();
        assertThat(shown(quick)).as(text).isEqualTo(shown(slow));
        return true;
    }

    /** All of a tree, a line for each value. */
    private static String shown(@Nullable Json value) {
        StringBuilder shown = new StringBuilder();
        if (value != null) {
            show(value, shown);
        }
        return shown.toString();
    }

    private static void show(Json value, StringBuilder to) {
        to.append(value.place())
                .append(' ')
                .append(value.keyPlace())
                .append(' ')
                .append(value.kind());
        if (value.kind() == Json.Kind.OBJECT || value.kind() == Json.Kind.ARRAY) {
            to.append('\n');
            value.members().values().forEach(each -> show(each, to));
            value.items().forEach(each -> show(each, to));
        } else {
            Object plain = value.plain();
            to.append(' ')
                    .append(plain == null ? "" : plain.getClass())
                    .append(' ')
                    .append(plain)
                    .append('\n');
        }
    }

    @Test
    void readsGoldenFilesAsTheOtherReaderDoes() throws IOException {
        int count = 0;
        for (Path each : TestFiles.goldenInputs()) {
            String text = new String(Files.readAllBytes(each), StandardCharsets.UTF_8);
            count += isReadAlike(text) ? 1 : 0;
        }
        assertThat(count).isGreaterThan(100);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                " \r\n\t{ \"a\" : [ ] , \"b\" : [ 1 , -2.50 , 0, -0, 123456789012345678 ] }\r\n ",
                "// one\r{ /* two\n * three */ \"a\" /**/ : // four\n true /*/ five */ } // six",
                "{\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\": \"\u00e9\ud83d\ude00\", \"b\": null, \"\": false}",
                "{\"a\": 1.0, \"b\": 0.50, \"c\": \"\u007f\", \"d\": {\"e\": {\"f\": [[[]], {}]}}}"
            })
    void readsWhatIsRight(String text) {
        assertThat(isReadAlike(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"a\"}",
                "{\"a\": 1,}",
                "{\"a\": [1,]}",
                "{\"a\": 1} 2",
                "{\"a\": 1, \"a\": 1}",
                "{\"a\": 01}",
                "{\"a\": 1.}",
                "{\"a\": -}",
                "{\"a\": 1e3}",
                "{\"a\": 1234567890123456789}",
                "{\"a\": tru}",
                "{\"a\": truer}",
                "{\"a\": \"\n\"}",
                "{\"a\": \"\\x\"}",
                "{\"a\": \"\\u00g0\"}",
                "{\"a\": \"\\u00",
                "{\"a\": \"",
                "{\"a\": 1 # one\n}",
                "{\"a\": 1} /*",
                "{\"a\": 1} /",
                "{'a': 1}",
                "{a: 1}",
                "{\"a\": \u00a01}"
            })
    void leavesWhatIsNot(String text) {
        assertThat(quick(text)).isNull();
    }

    @Test
    void leavesWhatIsNestedDeeperThanMayBe() {
        String most = "{\"a\":".repeat(JsonReader.DEPTH_MAX) + "1" + "}".repeat(JsonReader.DEPTH_MAX);

        assertThat(isReadAlike(most)).isTrue();
        assertThat(quick("{\"a\":" + most + "}")).isNull();
    }

    @Test
    void readsWhatIsChangedByChanceAsTheOtherReaderDoes() {
        SplittableRandom random = new SplittableRandom(7);
        List<String> whole = List.of(
                TestFiles.text("golden/everything.json"),
                TestFiles.text("golden/comments-everywhere.json"),
                "{\"a\": [1, -2.5, \"x\\n\\u00e9\", true, null], /* b */ \"c\": {}} // d");
        int count = 0;
        for (int i = 0; i < CHANGES; i++) {
            StringBuilder text = new StringBuilder(whole.get(i % whole.size()));
            int at = random.nextInt(text.length());
            switch (random.nextInt(3)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, PIECES.charAt(random.nextInt(PIECES.length())));
                default -> text.setCharAt(at, PIECES.charAt(random.nextInt(PIECES.length())));
            }
            count += isReadAlike(text.toString()) ? 1 : 0;
        }
        assertThat(count).isBetween(CHANGES / 10, CHANGES);
    }
}
