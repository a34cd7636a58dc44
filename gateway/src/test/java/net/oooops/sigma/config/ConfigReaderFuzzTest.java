package net.oooops.sigma.config;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Whatever the bytes of a file are, they are read or refused with problems that can be shown; nothing is thrown. */
public final class ConfigReaderFuzzTest {

    private static final ConfigReader READER = new ConfigReader(TestPlugins.schemas());

    /** Files that make sense: without comments, with them, and in YAML. */
    private static final List<String> NAMES =
            List.of("everything.json", "comments-everywhere.json", "yaml-everything.yaml");

    private static final List<byte[]> WHOLE = NAMES.stream()
            .map(name -> TestFiles.text("golden/" + name).getBytes(StandardCharsets.UTF_8))
            .toList();

    private ConfigReaderFuzzTest() {}

    /** Takes the bytes as the file, or as what replaces a part of a file that makes sense. */
    public static void fuzzerTestOneInput(FuzzedDataProvider input) {
        int which = input.consumeInt(0, NAMES.size() - 1);
        byte[] file = input.consumeBoolean() ? input.consumeRemainingAsBytes() : spliced(WHOLE.get(which), input);
        String name = NAMES.get(which);
        switch (READER.read(List.of(Layer.of(name, file, Path.of("no-such-folder"))))) {
            case ConfigResult.Invalid invalid -> shown(invalid);
            case ConfigResult.Valid valid -> {
                if (valid.config().listeners().isEmpty()) {
                    throw new AssertionError("valid without a server");
                }
            }
        }
    }

    private static byte[] spliced(byte[] whole, FuzzedDataProvider input) {
        int from = input.consumeInt(0, whole.length);
        int end = Math.min(whole.length, from + input.consumeInt(0, 64));
        byte[] part = input.consumeRemainingAsBytes();
        byte[] file = new byte[from + part.length + whole.length - end];
        System.arraycopy(whole, 0, file, 0, from);
        System.arraycopy(part, 0, file, from, part.length);
        System.arraycopy(whole, end, file, from + part.length, whole.length - end);
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
