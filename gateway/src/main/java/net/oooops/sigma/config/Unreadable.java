package net.oooops.sigma.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import net.oooops.sigma.ask.FileAnswers;
import org.jspecify.annotations.Nullable;

/** Why a file can't be read, in plain words. */
public final class Unreadable {
    static final String FOLDER = "a folder";
    static final String ENDLESS = "a pipe, a socket or a device";

    /** As the system says it: Java has an exception of its own only where it walks through folders. */
    private static final String LOOP = "too many levels of symbolic links";

    private Unreadable() {}

    /** Why that can't be read; null where nothing is known against it. Of a pipe, a device, or what doesn't answer, whoever reads it says more. */
    public static @Nullable String why(Path file) {
        try {
            return FileAnswers.of(file, reading -> found(file));
        } catch (FileAnswers.Unanswered e) {
            return null;
        } catch (IOException e) {
            return words(file, e);
        }
    }

    private static @Nullable String found(Path file) throws IOException {
        if (Files.readAttributes(file, BasicFileAttributes.class).isDirectory()) {
            return FOLDER;
        }
        return Files.isReadable(file) ? null : "a file that " + user() + " can't read";
    }

    /** Who checks may be root, and who runs it another one. */
    private static String user() {
        return "the user " + Json.printable(System.getProperty("user.name", "?"));
    }

    /** What went wrong with one. */
    static String words(Path file, IOException e) {
        if (e instanceof NoSuchFileException) {
            return Files.isSymbolicLink(file) ? "a link that leads to no file" : "no such file";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied to " + user();
        }
        String said = e instanceof FileSystemException of ? of.getReason() : e.getMessage();
        String reason = said == null ? "" : said;
        if (e instanceof FileSystemLoopException
                || reason.toLowerCase(Locale.ROOT).startsWith(LOOP)) {
            return "links that lead in a circle";
        }
        return reason.isEmpty()
                ? "a fault of the file system (" + e.getClass().getSimpleName() + ")"
                : Json.printable(reason.substring(0, 1).toLowerCase(Locale.ROOT) + reason.substring(1));
    }

    /** A name as it may stand in a message: in one line. */
    public static String shown(Path file) {
        return Json.printable(file.toString());
    }
}
