package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the script {@code sigma} does before it hands over, with a JDK in which little is real. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(120)
class LauncherTest {
    /** Says what it was asked for. A training run starts another process, as a JVM does that writes the cache, and ends by itself where it is to. */
    private static final String JAVA = """
            #!/usr/bin/env bash
            case "$*" in *-XX:TieredStopAtLevel=1\\ *) echo "compiles once" ;; esac
            case "$*" in
              *AOTCacheOutput=*)
                echo trained >>"$FAKE/trainings"
                if [ -f "$FAKE/works" ]; then
                  out="$*"; out=${out#*AOTCacheOutput=}; echo cache >"${out%% *}"; exit 0
                fi
                [ ! -f "$FAKE/fails" ] || exit 1
                trap '' TERM
                sleep 300 &
                echo $! >"$FAKE/writer"
                wait
                ;;
              *-Dsigma.words.alone=*)
                [ ! -f "$FAKE/refuses" ] || { echo "wrong: $*" >&2; exit 2; }
                ;;
              *-XX:AOTCache=*) echo "served with a cache" ;;
              *) echo "served" ;;
            esac
            """;

    @TempDir
    private Path fake;

    @BeforeEach
    void checkout() throws IOException {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve("sigma"))) {
            here = Objects.requireNonNull(here.getParent(), "in no checkout");
        }
        Files.copy(here.resolve("sigma"), fake.resolve("sigma"));
        Files.createDirectories(fake.resolve("gateway/target"));
        Path jar = Files.createFile(fake.resolve("gateway/target/sigma-0-fat.jar"));
        Files.setLastModifiedTime(jar, FileTime.from(Instant.now().minus(Duration.ofDays(30))));
        Path bin = Files.createDirectories(fake.resolve("jdk/bin"));
        Files.writeString(fake.resolve("jdk/release"), "JAVA_VERSION=\"25\"\n");
        for (String name : List.of("java", "javac")) {
            Files.writeString(bin.resolve(name), JAVA);
            Files.setPosixFilePermissions(bin.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private String run(String seconds) throws Exception {
        return run(seconds, 0);
    }

    private String run(String seconds, int exitCode, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("run"));
        command.addAll(List.of(words));
        return say(seconds, exitCode, command);
    }

    private String say(String seconds, int exitCode, List<String> words) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("bash", fake.resolve("sigma").toString()));
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("FAKE", fake.toString());
        builder.environment().put("SIGMA_JAVA_HOME", fake.resolve("jdk").toString());
        builder.environment().put("SIGMA_AOT_SECONDS", seconds);
        builder.environment().keySet().removeAll(List.of("SIGMA_JAVA_OPTS", "SIGMA_AOT"));
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isEqualTo(exitCode);
        return said;
    }

    private int trainings() throws IOException {
        Path file = fake.resolve("trainings");
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }

    /** As if the last try had been that long ago. Returns the file that says so. */
    private Path backdate(Duration ago) throws IOException {
        Path failed;
        try (var all = Files.list(fake.resolve("gateway/target/launcher"))) {
            failed = all.filter(each -> each.toString().endsWith(".failed"))
                    .findFirst()
                    .orElseThrow();
        }
        return Files.setLastModifiedTime(failed, FileTime.from(Instant.now().minus(ago)));
    }

    @Test
    void oneThatIsReadyIsUsedAndKept() throws Exception {
        Files.createFile(fake.resolve("works"));
        assertThat(run("20")).contains("preparing a faster start").endsWith("served with a cache\n");
        assertThat(run("20")).isEqualTo("served with a cache\n");
        assertThat(trainings()).isOne();
    }

    @Test
    void whatEndsInAMomentIsCompiledOnce() throws Exception {
        Files.createFile(fake.resolve("works"));
        assertThat(say("20", 0, List.of("status"))).isEqualTo("compiles once\nserved\n");
        assertThat(run("20")).doesNotContain("compiles once");
        assertThat(say("20", 0, List.of("reload"))).isEqualTo("compiles once\nserved with a cache\n");
    }

    @Test
    void whatTakesTooLongIsEndedWithAllThatItStarted() throws Exception {
        long begun = System.nanoTime();
        assertThat(run("3"))
                .contains("not ready after 3 s, as on a busy machine")
                .contains("a start in 60 minutes tries again")
                .endsWith("\nserved\n")
                .doesNotContain("Killed");
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun)).isLessThan(20);
        long writer = Long.parseLong(Files.readString(fake.resolve("writer")).trim());
        Await.until(
                "ended",
                () -> ProcessHandle.of(writer).filter(ProcessHandle::isAlive).isEmpty());
        assertThat(run("3")).isEqualTo("served\n");
        assertThat(trainings()).isOne();
    }

    @Test
    void threeStartsTryAnHourApart() throws Exception {
        Files.createFile(fake.resolve("fails"));
        assertThat(run("20")).contains("no AOT cache could be made").contains("a start in 60 minutes tries again");
        backdate(Duration.ofMinutes(58));
        assertThat(run("20")).isEqualTo("served\n");
        backdate(Duration.ofMinutes(62));
        assertThat(run("20")).contains("tries again").endsWith("served\n");
        Path failed = backdate(Duration.ofMinutes(62));
        assertThat(run("20")).contains("that was the last try").contains(failed.toString());
        backdate(Duration.ofDays(1));
        assertThat(run("20")).isEqualTo("served\n");
        assertThat(trainings()).isEqualTo(3);
    }

    @Test
    void oneThatIsMadeByALaterTryIsUsed() throws Exception {
        run("0");
        backdate(Duration.ofHours(2));
        Files.createFile(fake.resolve("works"));
        assertThat(run("20")).endsWith("served with a cache\n");
    }

    @Test
    void wrongWordsAreToldBeforeACacheIsMade() throws Exception {
        Files.createFile(fake.resolve("refuses"));

        assertThat(run("20", 2, "sigma.json"))
                .startsWith("wrong: ")
                .endsWith(" run sigma.json\n")
                .doesNotContain("preparing");
        assertThat(trainings()).isZero();
    }

    @Test
    void helpNeedsNoCache() throws Exception {
        assertThat(run("20", 0, "--help")).isEqualTo("served\n");
        assertThat(trainings()).isZero();
    }

    @Test
    void aBoundThatIsNoNumberIsWrongUsage() throws Exception {
        assertThat(run("soon", 2)).contains("SIGMA_AOT_SECONDS: soon (expected: a number of seconds)");
    }
}
