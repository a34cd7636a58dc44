package net.oooops.sigma.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What starts the gateway in tests that run it as its users do, where {@code -Dsigma.command=PATH} names it: a launcher, a native binary, or a script
 * that execs one. Its process is the one that gets signals. A relative path may begin at any folder above.
 */
public final class SigmaCommand {
    private static final String PROPERTY = "sigma.command";

    /** What the launcher hands to a JVM, and a binary doesn't read: as all JVMs of tests, and looking for leaks. */
    private static final String JVM =
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m -Dio.netty.leakDetection.level=paranoid";

    private SigmaCommand() {}

    /**
     * Its words, with which a command line begins; empty where none is named.
     *
     * @throws AssertionError where there is no such program
     */
    public static Optional<List<String>> words() {
        String named = System.getProperty(PROPERTY, "");
        return named.isEmpty()
                ? Optional.empty()
                : Optional.of(List.of(
                        "env",
                        "SIGMA_JAVA_HOME=" + System.getProperty("java.home"),
                        "SIGMA_JAVA_OPTS=" + JVM,
                        "SIGMA_AOT=off",
                        found(named).toString()));
    }

    private static Path found(String named) {
        for (Path here = Path.of("").toAbsolutePath(); here != null; here = here.getParent()) {
            Path command = here.resolve(named);
            if (Files.isRegularFile(command) && Files.isExecutable(command)) {
                return command;
            }
        }
        throw new AssertionError(PROPERTY + ": " + named + " (expected: the path of a program)");
    }
}
