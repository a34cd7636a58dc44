package net.oooops.sigma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import net.oooops.sigma.testkit.Await;

/** Which files of a folder this process has open, as Linux says; elsewhere none are seen. */
public final class OpenFiles {
    private static final Path OWN = Path.of("/proc/self/fd");

    private OpenFiles() {}

    /** How many descriptors lead to something in {@code folder}. */
    public static int count(Path folder) {
        int count = 0;
        if (!Files.isDirectory(OWN)) {
            return 0;
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OWN)) {
            for (Path each : descriptors) {
                if (leadsTo(each).startsWith(folder.toString())) {
                    count++;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return count;
    }

    private static String leadsTo(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            // Closed meanwhile.
            return "";
        }
    }

    /** Waits until there are so many at most. */
    public static void atMost(Path folder, int most) {
        Await.until("at most " + most + " files of " + folder + " are open", () -> count(folder) <= most);
    }

    /** Waits until there is none. */
    public static void none(Path folder) {
        Await.until("no file of " + folder + " is open", () -> count(folder) == 0);
    }
}
