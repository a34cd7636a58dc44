package net.oooops.sigma.control.socket;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Finds a process by its number and by when it was started: the number alone may be another one's by now, or here. Any thread. */
public final class LivingProcess {
    /** The clock may have been set meanwhile, by so much. */
    private static final Duration CLOCK = Duration.ofSeconds(2);

    private LivingProcess() {}

    /**
     * That process, where this one sees it: not from another container.
     *
     * @param started when, as ISO 8601 writes it
     */
    public static Optional<ProcessHandle> find(long pid, String started) {
        return ProcessHandle.of(pid)
                .filter(handle -> handle.info()
                        .startInstant()
                        .map(start -> isNear(start, started))
                        .orElse(false));
    }

    private static boolean isNear(Instant start, String said) {
        try {
            return Duration.between(start, Instant.parse(said)).abs().compareTo(CLOCK) <= 0;
        } catch (DateTimeException e) {
            return false;
        }
    }

    /** Whether it lives; not where it has ended, and whoever started it hasn't asked how: the first process of a container may never do so. */
    public static boolean isAlive(ProcessHandle process) {
        return process.isAlive() && !isZombie(process.pid());
    }

    /** Whether it has ended, and nobody has asked how. */
    private static boolean isZombie(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
            // Behind its name, which may hold anything.
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            // Where there is no /proc nobody is told.
            return false;
        }
    }
}
