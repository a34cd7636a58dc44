package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every fuzz target, a method of a class named {@code …FuzzTest}, holds for the inputs that are kept for it, and for some that follow from them by
 * chance, the same each time. That sees nothing of what an input leads to: {@link FuzzSearchTest} searches, where it is asked to.
 */
class FuzzTargetsTest {
    private static final int INPUTS = 1_000;

    /** A target that breaks soon. */
    public static final class Fragile {
        private Fragile() {}

        public static void fuzzerTestOneInput(byte[] input) {
            if (input.length > 0 && input[0] > 'A') {
                throw new IllegalStateException("fragile");
            }
        }
    }

    private static void tryOut(FuzzTarget target) {
        for (byte[] input : target.inputs(INPUTS)) {
            try {
                target.run(input);
            } catch (Throwable e) {
                throw new AssertionError(target + ", given " + HexFormat.of().formatHex(input), e);
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> noInputBreaksATarget() {
        return FuzzTarget.all().stream().map(target -> dynamicTest(target.toString(), () -> tryOut(target)));
    }

    @Test
    void aBrokenTargetIsFound() {
        FuzzTarget fragile = FuzzTarget.of(Fragile.class).getFirst();
        assertThatThrownBy(() -> tryOut(fragile)).hasMessageContaining("given").hasRootCauseMessage("fragile");
    }

    /** Beside what follows from it. */
    @Test
    void keptInputsAreTried() {
        List<FuzzTarget> targets = FuzzTarget.all();
        assertThat(targets.stream().filter(target -> !target.kept().isEmpty()))
                .isNotEmpty()
                .allSatisfy(target -> assertThat(target.inputs(0))
                        .containsAll(target.kept())
                        .hasSize(target.kept().size() + 1));
    }

    /** Both this and Jazzer try the inputs that are kept beside a target's class; of one that has moved away they would try none, without a word. */
    @Test
    void keptInputsHaveTheirTargets() throws IOException {
        Path resources = SourceFile.checkout().resolve("gateway/src/test/resources");
        List<String> targets = FuzzTarget.all().stream()
                .map(target -> target.typeName().replace('.', '/') + "Inputs/"
                        + target.method().getName())
                .toList();
        try (Stream<Path> all = Files.walk(resources)) {
            List<String> kept = all.filter(Files::isDirectory)
                    .map(folder -> resources.relativize(folder).toString())
                    .filter(folder -> folder.matches(".*Inputs/[^/]+"))
                    .toList();
            assertThat(kept).isNotEmpty();
            assertThat(targets).containsAll(kept);
        }
    }
}
