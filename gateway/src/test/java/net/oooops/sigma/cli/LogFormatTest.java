package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** {@code run --log-format json}: in a process of its own, as the log is one for the process. */
@Tag("long")
@Timeout(120)
@DisabledOnOs(OS.WINDOWS)
class LogFormatTest extends SteeredFixture {
    private static List<JsonNode> events(SigmaProcess sigma) throws JsonProcessingException {
        ObjectMapper reader = new ObjectMapper();
        List<JsonNode> events = new ArrayList<>();
        for (String line : sigma.err().lines().toList()) {
            events.add(reader.readTree(line));
        }
        return events;
    }

    private static List<String> messages(SigmaProcess sigma, String level) throws JsonProcessingException {
        return events(sigma).stream()
                .filter(each -> each.get("level").textValue().equals(level))
                .map(each -> each.get("message").textValue())
                .toList();
    }

    @Test
    void allThatIsSaidIsALineOfJson() throws Exception {
        Path conf = write(JSON);
        try (SigmaProcess sigma = SigmaProcess.start(
                folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", conf.toString(), "--log-format", "json"))) {
            Await.until(
                    "listening",
                    () -> sigma.err().contains("routing") || !sigma.process().isAlive());
            Path runDir = SigmaProcess.runDir(folder);
            write(JSON.replace("\"/*\"", "\"/a\""));
            Await.until("asked", () -> SteeringTest.say(runDir, "reload").exitCode() == 0);
            assertThat(SteeringTest.say(runDir, "stop").exitCode()).isZero();
            assertThat(sigma.exitCode()).isZero();

            assertThat(sigma.out()).isEmpty();
            assertThat(messages(sigma, "INFO"))
                    .anyMatch(text -> text.startsWith("sigma 0."))
                    .anyMatch(text -> text.startsWith("listens on  http://127.0.0.1:"))
                    .anyMatch(text -> text.endsWith(" asked for a reload: configuration 2 holds"))
                    .contains("routes: 1 changed (r/a: path)", "stopped");
            assertThat(events(sigma)).allSatisfy(each -> {
                List<String> names = new ArrayList<>();
                each.fieldNames().forEachRemaining(names::add);
                assertThat(names).containsExactly("time", "level", "logger", "thread", "message", "exception");
            });
        }
    }

    @Test
    void soAreTheProblemsForWhichItDoesNotStart() throws Exception {
        Path conf = write(JSON.replace("\"nodes\"", "\"knots\""));
        // Picocli's spelling, which is read in another way.
        try (SigmaProcess sigma = SigmaProcess.start(
                folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", conf.toString(), "--log-format=json"))) {
            assertThat(sigma.exitCode()).isEqualTo(1);
            assertThat(sigma.out()).isEmpty();
            assertThat(messages(sigma, "ERROR"))
                    .anyMatch(text -> text.contains("/upstream/0/knots: unknown key \"knots\""));
        }
    }

    /** The launcher asks for them first, where there is no cache yet. */
    @Test
    void soAreWrongWordsThatNothingRunsFor() throws Exception {
        SigmaProcess.How alone = new SigmaProcess.How(
                List.of("env", "JDK_JAVA_OPTIONS=-D" + Run.WORDS_ALONE + "=true"), SigmaProcess.How.PLAIN.classPath());
        try (SigmaProcess sigma =
                SigmaProcess.start(folder, alone, List.of("run", "-conf", "no-such.json", "--log-format", "json"))) {
            assertThat(sigma.exitCode()).isEqualTo(Exit.USAGE);
            assertThat(sigma.out()).isEmpty();
            // The JDK says that it found options.
            assertThat(sigma.err().lines().filter(line -> !line.startsWith("NOTE: ")))
                    .allMatch(line -> line.startsWith("{"))
                    .anyMatch(line -> line.contains("-conf no-such.json: no such file"));
        }
    }

    @Test
    void aFileOfLogbacksIsNotPassedOver() {
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> LogFormat.choose(LogFormat.JSON, "log.xml"))
                .withMessage("--log-format json: beside -Dlogback.configurationFile=log.xml (expected: one of both)\n")
                .satisfies(failure -> assertThat(failure.exitCode()).isEqualTo(Exit.USAGE));
    }
}
