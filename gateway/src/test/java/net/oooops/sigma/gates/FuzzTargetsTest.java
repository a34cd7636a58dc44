package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.code_intelligence.jazzer.Jazzer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every fuzz target, a class named {@code …FuzzTest}, is fuzzed for {@code -Dsigma.fuzz.seconds} (2) in a JVM of its own, with assertions on.
 * What it finds stays in target/fuzz; copied to the target's seed folder, it is tried first from then on. Takes longest of all: begun last, it would
 * be waited for alone.
 */
@Order(1)
class FuzzTargetsTest {

    private static final int SECONDS = Integer.getInteger("sigma.fuzz.seconds", 2);
    private static final int START_SECONDS_MAX = 180;
    /** Jars that no target needs: Jazzer reads all that it is given, which takes longer than anything else at its start. */
    private static final Pattern UNNEEDED = Pattern.compile("/(archunit|asm|byte-buddy|fray|jna|kotlin|kotlinx|mordant"
            + "|netty-tcnative-boringssl-static|surefire|zstd-jni)-[^/]*\\.jar");

    private static final Pattern OF_CERTIFICATES = Pattern.compile("/(bcpkix|bcprov|bcutil)-[^/]*\\.jar");

    /** What one run ended with, and what it printed. */
    private record Run(int exit, String output) {}

    /** A target that Jazzer finds an input for at once. */
    public static final class Fragile {
        private Fragile() {}

        public static void fuzzerTestOneInput(byte[] input) {
            if (input.length > 0 && input[0] > 'A') {
                throw new IllegalStateException("fragile");
            }
        }
    }

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    /** As many at once as there are processors. */
    @TestFactory
    Stream<DynamicTest> noInputBreaksATarget() {
        ExecutorService runs = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        List<DynamicTest> tests = SourceFile.all().stream()
                .filter(file -> file.path().startsWith("gateway/src/test/java/")
                        && file.path().endsWith("FuzzTest.java"))
                .map(file -> file.typePath().replace('/', '.').replaceFirst("\\.java$", ""))
                .map(target -> {
                    Path found = SourceFile.checkout().resolve("gateway/target/fuzz/" + target);
                    Future<Run> begun = runs.submit(() -> fuzz(target, found));
                    return dynamicTest(target, () -> {
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
        Run run = fuzz(Fragile.class.getName(), dir);
        assertThat(run.exit()).isNotZero();
        assertThat(run.output()).contains("IllegalStateException: fragile");
    }

    /** Jazzer tries the inputs that are kept beside a target's class; of one that has moved away it would try none, without a word. */
    @Test
    void keptInputsHaveTheirTargets() throws IOException {
        Path tests = SourceFile.checkout().resolve("gateway/src/test");
        Path resources = tests.resolve("resources");
        try (Stream<Path> all = Files.walk(resources)) {
            List<Path> kept = all.filter(Files::isDirectory)
                    .filter(folder -> folder.getFileName().toString().endsWith("Inputs"))
                    .toList();
            assertThat(kept).isNotEmpty().allSatisfy(folder -> {
                String target = resources.relativize(folder).toString().replaceFirst("Inputs$", ".java");
                assertThat(tests.resolve("java").resolve(target)).exists();
            });
        }
    }

    private static Run fuzz(String target, Path dir) {
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

    private static List<String> command(String target) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx512m",
                // It runs for seconds: compiling for hours of them takes longer than it saves.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+EnableDynamicAgentLoading",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .filter(entry -> !UNNEEDED.matcher(entry).find())
                        .filter(entry -> target.contains(".certificate.")
                                || !OF_CERTIFICATES.matcher(entry).find())
                        .collect(Collectors.joining(File.pathSeparator)),
                Jazzer.class.getName(),
                "--target_class=" + target,
                "--instrumentation_includes=net.oooops.sigma.**",
                "--custom_hook_includes=net.oooops.sigma.**",
                // Who writes sigma.json may write regular expressions there.
                "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.RegexInjection",
                "-max_total_time=" + SECONDS,
                "-rss_limit_mb=0",
                "-timeout=10");
    }
}
