package net.oooops.sigma.config;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Whatever the bytes of a file are, they are read or refused with problems that can be shown; nothing is thrown. */
public final class ConfigReaderFuzzTest {

    private static final ConfigReader READER = new ConfigReader(TestPlugins.schemas());
    private static final byte[] EVERYTHING =
            TestFiles.text("golden/everything.json").getBytes(StandardCharsets.UTF_8);

    private ConfigReaderFuzzTest() {}

    /** Takes the bytes as the file, or as what replaces a part of a file that makes sense. */
    public static void fuzzerTestOneInput(FuzzedDataProvider input) {
        byte[] file = input.consumeBoolean() ? input.consumeRemainingAsBytes() : spliced(input);
        switch (READER.read(file, Path.of("no-such-folder"))) {
            case ConfigResult.Invalid invalid -> shown(invalid);
            case ConfigResult.Valid valid -> {
                if (valid.config().listeners().isEmpty()) {
                    throw new AssertionError("valid without a server");
                }
            }
        }
    }

    private static byte[] spliced(FuzzedDataProvider input) {
        int from = input.consumeInt(0, EVERYTHING.length);
        int end = Math.min(EVERYTHING.length, from + input.consumeInt(0, 64));
        byte[] part = input.consumeRemainingAsBytes();
        byte[] file = new byte[from + part.length + EVERYTHING.length - end];
        System.arraycopy(EVERYTHING, 0, file, 0, from);
        System.arraycopy(part, 0, file, from, part.length);
        System.arraycopy(EVERYTHING, end, file, from + part.length, EVERYTHING.length - end);
        return file;
    }

    private static void shown(ConfigResult.Invalid invalid) {
        if (invalid.problems().isEmpty()) {
            throw new AssertionError("invalid without a problem");
        }
        boolean control = invalid.text("sigma.json").codePoints().anyMatch(c -> c != '\n' && Character.isISOControl(c));
        if (control) {
            throw new AssertionError("a control character is shown: " + invalid.problems());
        }
    }
}
