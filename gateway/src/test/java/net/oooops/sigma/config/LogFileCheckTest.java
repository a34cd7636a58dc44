package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.HeldFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogFileCheckTest {
    @TempDir
    private Path folder;

    private List<String> problems(String settings) throws IOException {
        String json = TestFiles.text("golden/sample.json")
                .replaceFirst("\\{", "{ \"plugins\": { \"log-config\": " + settings + " }, ");
        Path file = Files.writeString(folder.resolve("sigma.json"), json);
        return switch (new ConfigReader(Map.of()).onThisMachine().read(file)) {
            case ConfigResult.Valid _ -> List.of();
            case ConfigResult.Invalid invalid -> invalid.text("s").lines().toList();
        };
    }

    @Test
    void aFolderThatIsNotThereIsAProblemWithItsPlace() throws IOException {
        assertThat(problems("{ \"file\": \"logs/access.log\" }"))
                .containsExactly(folder
                        + "/sigma.json:1:40 /plugins/log-config/file: \"logs/access.log\", whose folder is not there"
                        + " (expected: a file that can be appended to)");
    }

    @Test
    void itIsToldBesideAllOtherProblems() throws IOException {
        assertThat(problems("{ \"file\": \"logs/access.log\", \"queue\": 1 }"))
                .satisfiesExactly(
                        file -> assertThat(file).contains("whose folder is not there"),
                        queue -> assertThat(queue).contains("/plugins/log-config/queue: 1"));
    }

    @Test
    void whatIsNoFileIsAProblem() throws IOException {
        Files.createDirectory(folder.resolve("logs"));
        Files.createFile(folder.resolve("file"));

        assertThat(problems("{ \"file\": \"logs\" }"))
                .singleElement()
                .asString()
                .contains("which is a folder");
        assertThat(problems("{ \"file\": \"file/access.log\" }"))
                .singleElement()
                .asString()
                .contains("whose folder is a file");
    }

    /** Files that even root may not write. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void whatCanNotBeWrittenIsAProblem() throws IOException {
        assertThat(problems("{ \"file\": \"/proc/sys/kernel/osrelease\" }"))
                .singleElement()
                .asString()
                .contains("which can't be written");
        assertThat(problems("{ \"file\": \"/proc/sys/kernel/access.log\" }"))
                .singleElement()
                .asString()
                .contains("whose folder can't be written");
    }

    /** Asking it might never come to an end. */
    @Test
    void oneThatDoesNotAnswerIsAProblemWithItsPlaceAndIsLookedAt() throws Exception {
        String json = TestFiles.text("golden/sample.json")
                .replaceFirst("\\{", "{ \"plugins\": { \"log-config\": { \"file\": \"access.log\" } }, ");
        Path file = Files.writeString(folder.resolve("sigma.json"), json);
        ConfigReader again = new ConfigReader(Map.of()).onThisMachine().again();
        try (HeldFile _ = new HeldFile(folder.resolve("access.log"))) {
            assertThat(again.read(file)).isInstanceOfSatisfying(ConfigResult.Invalid.class, found -> {
                assertThat(found.text("s"))
                        .isEqualTo(folder + "/sigma.json:1:40 /plugins/log-config/file: \"access.log\","
                                + " which hasn't answered yet what it was asked before"
                                + " (expected: a file that can be appended to)\n");
                assertThat(found.unanswered()).isTrue();
                assertThat(found.files()).contains(folder.resolve("access.log"));
            });
        }
    }

    /** Else no reload would be done as long as its place doesn't answer, whatever it is for. */
    @Test
    void oneThatIsWrittenAlreadyIsLeftAlone() throws Exception {
        String json = TestFiles.text("golden/sample.json")
                .replaceFirst("\\{", "{ \"plugins\": { \"log-config\": { \"file\": \"access.log\" } }, ");
        Path file = Files.writeString(folder.resolve("sigma.json"), json);
        AccessLogConfig open = ((ConfigResult.Valid) new ConfigReader(Map.of()).read(file))
                .config()
                .accessLog();
        ConfigReader again =
                new ConfigReader(Map.of()).onThisMachine().logging(open).again();
        try (HeldFile _ = new HeldFile(folder.resolve("access.log"))) {
            assertThat(again.read(file)).isInstanceOf(ConfigResult.Valid.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ \"file\": \"access.log\" }",
                "{ \"file\": \"there.log\" }",
                "{ \"file\": \"stdout\" }",
                "{}",
                "{ \"enable\": false, \"file\": \"none/access.log\" }"
            })
    void othersAreNone(String settings) throws IOException {
        Path there = Files.createFile(folder.resolve("there.log"));

        assertThat(problems(settings)).isEmpty();
        assertThat(there).isEmptyFile();
        assertThat(folder.resolve("access.log")).doesNotExist();
    }
}
