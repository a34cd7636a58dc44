package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every {@code golden/NAME.json} and {@code golden/NAME.yaml} is answered with what {@code golden/NAME.expected} holds. With {@code -Dgolden.write=true} the
 * answers are written there instead, to be read before they are committed.
 */
class GoldenTest {

    private static final boolean WRITE = Boolean.getBoolean("golden.write");

    private final ConfigReader reader = new ConfigReader(TestPlugins.schemas());

    @TestFactory
    Stream<DynamicTest> everyInputIsAnsweredAsExpected() {
        return Stream.of(".json", ".yaml")
                .flatMap(end -> TestFiles.goldenInputs(end).stream())
                .map(input -> dynamicTest(name(input), () -> check(input)));
    }

    @Test
    void thereAreInputsOfEveryKind() {
        assertThat(TestFiles.goldenInputs()).hasSizeGreaterThan(60);
    }

    private void check(Path input) throws IOException {
        ConfigResult result = input.toString().endsWith(".yaml")
                ? reader.read(input)
                : reader.read(Files.readAllBytes(input), TestFiles.path("golden"));
        String answer = switch (result) {
            case ConfigResult.Invalid invalid -> invalid.text("sigma.json");
            case ConfigResult.Valid valid -> valid(valid);
        };
        answer = answer.replace(input.getParent() + "/", "");
        if (WRITE) {
            Path folder = TestFiles.checkout().resolve("gateway/src/test/resources/net/oooops/sigma/config/golden");
            Files.writeString(folder.resolve(name(input) + ".expected"), answer);
            return;
        }
        Path expected = input.resolveSibling(name(input) + ".expected");
        assertThat(answer).isEqualTo(Files.readString(expected, StandardCharsets.UTF_8));
    }

    private static String valid(ConfigResult.Valid valid) {
        StringBuilder answer = new StringBuilder("valid\n");
        valid.warnings()
                .forEach(warning -> answer.append(warning.text("sigma.json")).append('\n'));
        return answer.toString();
    }

    private static String name(Path input) {
        return input.getFileName().toString().replaceFirst("\\.(json|yaml)$", "");
    }
}
