package net.oooops.sigma.races;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A JDK whose own classes let Fray choose which thread goes on: made of the one that runs the tests, once, by its jlink. Fray's Maven plugin would do the same, but only of a
 * JDK with a folder of jmods, which those of today come without.
 */
public final class InstrumentedJdk {
    private static final int LINK_SECONDS_MAX = 300;
    /** All that the models' classes need. */
    private static final String MODULES =
            "java.base,java.desktop,java.instrument,java.logging,java.management,java.naming,"
                    + "java.net.http,java.xml,jdk.unsupported";

    /** Of Fray's classes, those that jlink needs. */
    private static final List<String> LINKING = List.of(
            "fray-instrumentation-jdk-",
            "fray-instrumentation-base-",
            "fray-runtime-",
            "kotlin-stdlib-",
            "kotlin-reflect-",
            "asm");

    private static final Path OWN = Path.of(System.getProperty("java.home"));

    private final Path home;
    private final Path library;

    private InstrumentedJdk(Path home, Path library) {
        this.home = home;
        this.library = library;
    }

    /** Whether Fray's native part runs here. */
    public static boolean isForThisMachine() {
        return System.getProperty("os.name", "").equals("Linux")
                && System.getProperty("os.arch", "").equals("amd64");
    }

    /** The one in that folder, made where it isn't there. */
    public static InstrumentedJdk in(Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        String name = "jdk-" + Runtime.version() + "-" + jar("fray-core-").getFileName();
        Path home = folder.resolve(name.replaceFirst("\\.jar$", ""));
        if (!Files.exists(home)) {
            link(folder, home);
        }
        Path library = folder.resolve("libjvmti.so");
        try (InputStream from = InstrumentedJdk.class.getResourceAsStream("/libjvmti.so")) {
            if (from == null) {
                throw new IOException("no libjvmti.so (expected: the jar fray-jvmti-linux-x8664)");
            }
            Files.copy(from, library, StandardCopyOption.REPLACE_EXISTING);
        }
        return new InstrumentedJdk(home, library);
    }

    private static void link(Path folder, Path home) throws IOException, InterruptedException {
        Path made = Files.createTempDirectory(folder, "made").resolve("jdk");
        String jars = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(each ->
                        LINKING.stream().anyMatch(Path.of(each).getFileName().toString()::startsWith))
                .collect(Collectors.joining(File.pathSeparator));
        Process jlink = new ProcessBuilder(
                        OWN.resolve("bin").resolve("jlink").toString(),
                        "-J-XX:TieredStopAtLevel=1",
                        "-J-javaagent:" + jar("fray-instrumentation-jdk-"),
                        "-J--module-path=" + jars,
                        "-J--class-path=" + jars,
                        "-J--add-modules=org.pastalab.fray.instrumentation.jdk",
                        "--output=" + made,
                        "--add-modules=" + MODULES,
                        "--fray-instrumentation")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("jlink.txt").toFile())
                .start();
        if (!jlink.waitFor(LINK_SECONDS_MAX, TimeUnit.SECONDS) || jlink.exitValue() != 0) {
            jlink.destroyForcibly();
            throw new IOException("no instrumented JDK: " + Files.readString(folder.resolve("jlink.txt")));
        }
        Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
        Files.delete(made.getParent());
    }

    private static Path jar(String prefix) throws IOException {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(each -> each.getFileName().toString().startsWith(prefix))
                .findFirst()
                .orElseThrow(() -> new IOException("no jar " + prefix + "… on the class path"));
    }

    /** Runs {@link Interleaved} with it. */
    public ProcessBuilder interleaved(Path folder, List<String> models) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin").resolve("java").toString(),
                "-ea",
                "-Xmx1g",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-javaagent:" + jar("fray-instrumentation-agent-"),
                "-agentpath:" + library,
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dfray.workDir=" + folder,
                "-Dlogback.configurationFile=net/oooops/sigma/races/logback.xml"));
        for (String property : List.of(Interleaved.SEED, Interleaved.TIMES)) {
            String said = System.getProperty(property);
            if (said != null) {
                command.add("-D" + property + "=" + said);
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Interleaved.class.getName()));
        command.addAll(models);
        return new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    }
}
