package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The launcher while it makes an AOT cache, with a JDK that never gets there. */
@EnabledOnOs(OS.LINUX)
class LauncherSignalTest {
    /** Words are no trouble to it, and then it waits. */
    private static final String WAITS = """
            #!/bin/sh
            case "$*" in *-Dsigma.words.alone=*) exit 0 ;; esac
            exec sleep 60
            """;

    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @BeforeEach
    void makeCheckout() throws IOException {
        Path bin = Files.createDirectories(folder.resolve("jdk/bin"));
        for (String name : new String[] {"java", "javac"}) {
            Path program = Files.writeString(bin.resolve(name), WAITS);
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        }
        Files.writeString(
                folder.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\nJAVA_RUNTIME_VERSION=\"25.0.1+8\"\n");
        Files.createDirectories(folder.resolve("gateway/target"));
        Files.createFile(folder.resolve("gateway/target/sigma-1-fat.jar"));
        Files.copy(launcher(), folder.resolve("sigma"));
    }

    /** As a JVM ends that the signal has ended before it served. */
    @ParameterizedTest
    @CsvSource({"TERM, 143", "HUP, 129"})
    void itEndsAsTheSignalSays(String signal, int code) throws Exception {
        Path said = folder.resolve("said");
        ProcessBuilder builder = new ProcessBuilder(
                        "bash", folder.resolve("sigma").toString(), "run")
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        builder.environment().put("SIGMA_JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().remove("SIGMA_AOT");
        Process launcher = builder.start();
        try {
            Path log = folder.resolve("gateway/target/launcher/train.log");
            Await.until(
                    "training",
                    LONG,
                    () -> Files.exists(log) && launcher.children().findAny().isPresent());
            new ProcessBuilder("kill", "-" + signal, String.valueOf(launcher.pid()))
                    .start()
                    .waitFor();
            assertThat(launcher.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(launcher.exitValue()).as(Files.readString(said)).isEqualTo(code);
        } finally {
            launcher.descendants().forEach(ProcessHandle::destroyForcibly);
            launcher.destroyForcibly();
        }
    }

    private static Path launcher() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isRegularFile(at.resolve("sigma"))) {
            at = Objects.requireNonNull(at.getParent(), "in no checkout");
        }
        return at.resolve("sigma");
    }
}
