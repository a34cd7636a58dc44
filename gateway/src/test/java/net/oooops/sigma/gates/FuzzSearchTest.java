package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.code_intelligence.jazzer.Jazzer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every fuzz target is fuzzed for {@code -Dsigma.fuzz.seconds} in a JVM of its own, with assertions on; without that property none is: three quarters
 * of a short run's time go by before Jazzer begins to search. {@code .ci/run} says 5. What it finds stays in target/fuzz; copied to the target's seed
 * folder, it is tried first from then on, and by {@link FuzzTargetsTest} in each test run.
 */
@EnabledIfSystemProperty(named = "sigma.fuzz.seconds", matches = "[1-9][0-9]*")
class FuzzSearchTest {

    private static final int SECONDS = Integer.getInteger("sigma.fuzz.seconds", 0);
    private static final int START_SECONDS_MAX = 180;
    /** Jars that no target needs: Jazzer reads all that it is given, which takes longer than anything else at its start. */
    private static final Pattern UNNEEDED = Pattern.compile("/(archunit|asm|byte-buddy|fray|jna|kotlin|kotlinx|mordant"
            + "|netty-tcnative-boringssl-static|surefire|zstd-jni)-[^/]*\\.jar");

    private static final Pattern OF_CERTIFICATES = Pattern.compile("/(bcpkix|bcprov|bcutil)-[^/]*\\.jar");

    /** What one run ended with, and what it printed. */
    private record Run(int exit, String output) {}

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    /** As many at once as there are processors. */
    @TestFactory
    Stream<DynamicTest> noInputBreaksATarget() {
        ExecutorService runs = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        List<DynamicTest> tests = FuzzTarget.all().stream()
                .map(target -> {
                    Path found = SourceFile.checkout().resolve("gateway/target/fuzz/" + target);
                    Future<Run> begun = runs.submit(() -> fuzz(target, found));
                    return dynamicTest(target.toString(), () -> {
                        Run run = begun.get();
                        assertThat(run.exit())
                                .as("%s, see %s%n%s", target, found, run.output())
                                .isZero();
                        assertThat(run.output()).contains("DONE");
                    });
                })
                .toList();
        runs.shutdown();
        return tests.stream();
    }

    @Test
    void aBrokenTargetIsFound() {
        Run run = fuzz(FuzzTarget.of(FuzzTargetsTest.Fragile.class).getFirst(), dir);
        assertThat(run.exit()).isNotZero();
        assertThat(run.output()).contains("IllegalStateException: fragile");
    }

    private static Run fuzz(FuzzTarget target, Path dir) {
        try {
            Files.createDirectories(dir);
            Path output = dir.resolve("output.txt");
            Process process = new ProcessBuilder(command(target))
                    .directory(dir.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(SECONDS + START_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            return new Run(process.exitValue(), Files.readString(output));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while fuzzing " + target, e);
        }
    }

    private static List<String> command(FuzzTarget target) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx512m",
                // It runs for seconds: compiling for hours of them takes longer than it saves.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+EnableDynamicAgentLoading",
                // Else it begins another JVM to attach to this one.
                "-Djdk.attach.allowAttachSelf=true",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .filter(entry -> !UNNEEDED.matcher(entry).find())
                        .filter(entry -> target.typeName().contains(".certificate.")
                                || !OF_CERTIFICATES.matcher(entry).find())
                        .collect(Collectors.joining(File.pathSeparator)),
                Jazzer.class.getName(),
                "--target_class=" + target.typeName(),
                "--instrumentation_includes=net.oooops.sigma.**",
                "--custom_hook_includes=net.oooops.sigma.**",
                // Who writes sigma.json may write regular expressions there.
                "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.RegexInjection",
                "-max_total_time=" + SECONDS,
                "-rss_limit_mb=0",
                "-timeout=10"));
        if (target.isNamed()) {
            command.add("--target_method=" + target.method().getName());
        }
        return command;
    }
}
