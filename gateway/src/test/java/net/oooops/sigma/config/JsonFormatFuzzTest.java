package net.oooops.sigma.config;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.config.JsonTokens.Token;

/** Whatever the bytes of a file are, they are refused, or formatted with all that is in them and to what stays as it is. */
public final class JsonFormatFuzzTest {

    private static final String[] PARTS = {
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\"",
        "1",
        "null",
        " ",
        "\n",
        "\r\n",
        "\n\n",
        "// c\n",
        "/* c */",
        "/* c\n * d\n*/",
        "\"//\""
    };

    private JsonFormatFuzzTest() {}

    /** Takes the bytes as the file, or as parts that files are made of. */
    public static void fuzzerTestOneInput(FuzzedDataProvider input) {
        byte[] file =
                input.consumeBoolean() ? input.consumeRemainingAsBytes() : composed(input.consumeRemainingAsBytes());
        if (!(JsonFormat.format(file) instanceof JsonFormat.Formatted formatted)) {
            return;
        }
        String before = new String(file, StandardCharsets.UTF_8);
        if (!kept(before).equals(kept(formatted.text()))) {
            throw new AssertionError("lost: " + before);
        }
        JsonFormat.Result again = JsonFormat.format(formatted.text().getBytes(StandardCharsets.UTF_8));
        if (!again.equals(new JsonFormat.Formatted(formatted.text(), true))) {
            throw new AssertionError("not done: " + before);
        }
    }

    private static byte[] composed(byte[] choices) {
        StringBuilder text = new StringBuilder();
        for (byte choice : choices) {
            text.append(PARTS[(choice & 0xff) % PARTS.length]);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** All tokens but commas, which a comment may change places with, without the space in them. */
    private static List<String> kept(String file) {
        String text = file.startsWith("\ufeff") ? file.substring(1) : file;
        List<String> kept = new ArrayList<>();
        for (Token token : JsonTokens.of(text)) {
            if (token.kind() != JsonTokens.Kind.COMMA && token.kind() != JsonTokens.Kind.COLON) {
                String of = token.of(text);
                kept.add(token.isComment() ? of.replaceAll("\\s+", "") : of);
            }
        }
        return kept;
    }
}
