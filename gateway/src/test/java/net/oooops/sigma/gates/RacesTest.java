package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import net.oooops.sigma.Needed;
import net.oooops.sigma.races.AtOnce;
import net.oooops.sigma.races.InstrumentedJdk;
import net.oooops.sigma.races.Interleaved;
import net.oooops.sigma.races.Race;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every model of a class named {@code …Races} holds under all its schedules, {@code -Dsigma.races.times} (1) as many as it says, which follow from
 * {@code -Dsigma.races.seed} (1). All run in one JVM; what it says is in target/races.
 * Takes longest of all: begun last, it would be waited for alone.
 */
@Tag("long")
@Order(1)
class RacesTest {
    private static final Path FOLDER = SourceFile.checkout().resolve("gateway/target/races");
    private static final long SECONDS_MAX = 600L * Interleaved.times();

    /** Breaks under the first few schedules. */
    static final class FragileRaces {
        private FragileRaces() {}

        @Race
        static void anUpdateIsLost() {
            AtomicInteger count = new AtomicInteger();
            AtOnce.Part part = () -> count.set(count.get() + 1);
            AtOnce.run(part, part);
            AtOnce.require(count.get() == 2, "two updates: " + count);
        }

        @Race
        static void holds() {
            AtomicInteger count = new AtomicInteger();
            AtOnce.run(count::incrementAndGet, count::incrementAndGet);
            AtOnce.require(count.get() == 2, "two updates: " + count);
        }
    }

    private static String run(String name, List<String> models) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(FOLDER.resolve(name));
        Path output = folder.resolve("output.txt");
        Process process = jdk().interleaved(folder, models)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        return Files.readString(output);
    }

    private static InstrumentedJdk jdk() throws IOException, InterruptedException {
        Needed.here(InstrumentedJdk.isForThisMachine(), "Linux on x86-64, for which Fray has its native part");
        return InstrumentedJdk.in(FOLDER);
    }

    /** What became of a model, with what it failed with. */
    private static String outcome(String output, String model) {
        int at = output.indexOf("\n" + Interleaved.MARK + model + " ");
        return at < 0 ? "didn't run: " + output : output.substring(at).strip();
    }

    @TestFactory
    Stream<DynamicTest> noScheduleBreaksAModel()
            throws IOException, InterruptedException, ReflectiveOperationException {
        List<String> classes = SourceFile.all().stream()
                .filter(file -> file.path().startsWith("gateway/src/test/java/")
                        && file.path().endsWith("Races.java"))
                .map(file -> file.typePath().replace('/', '.').replaceFirst("\\.java$", ""))
                .toList();
        String output = run("models", classes);
        Stream.Builder<DynamicTest> tests = Stream.builder();
        for (String each : classes) {
            for (String model : Interleaved.names(Class.forName(each))) {
                tests.add(dynamicTest(
                        model,
                        () -> assertThat(outcome(output, model))
                                .startsWith(Interleaved.MARK + model + Interleaved.PASSED)));
            }
        }
        return tests.build();
    }

    @Test
    void aBrokenModelIsFound() throws IOException, InterruptedException {
        String fragile = FragileRaces.class.getName();
        String output = run("fragile", List.of(fragile));
        assertThat(outcome(output, fragile + "#anUpdateIsLost"))
                .contains(Interleaved.FAILED)
                .contains("two updates: 1");
        assertThat(outcome(output, fragile + "#holds")).contains(Interleaved.PASSED);
    }
}
