package net.oooops.sigma.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import net.oooops.sigma.ask.FileAnswers;
import org.jspecify.annotations.Nullable;

/** The file of the access log can be appended to, or made: something that only the machine knows that the gateway is to run on. */
final class LogFileCheck {
    private static final String EXPECTED = "a file that can be appended to";

    private final NamedFile.Reading from;
    private final Problems problems;
    private final @Nullable AccessLogConfig open;

    /**
     * @param from gets the file where it doesn't answer: who waits for it is to look at it
     * @param open the log that is written already, whose file isn't asked; null where none is
     */
    LogFileCheck(NamedFile.Reading from, @Nullable AccessLogConfig open) {
        this.from = from;
        this.open = open;
        this.problems = from.problems();
    }

    void check(Json root) {
        Json plugins = root.get("plugins");
        Json log = plugins == null ? null : plugins.get("log-config");
        Json file = log == null || !log.flag("enable", true) ? null : log.get("file");
        if (file == null || !file.isText() || problems.has(file) || file.text().equals(AccessLogConfig.STDOUT)) {
            return;
        }
        try {
            if (open != null && open.file().equals(file.path().toString())) {
                return;
            }
            Path path = file.path().toAbsolutePath();
            String why = whyNot(file, path);
            if (why != null) {
                problems.value(file, file.shown() + ", " + why, EXPECTED, null);
            }
        } catch (InvalidPathException e) {
            problems.value(file, "the path of a file");
        }
    }

    /** Null where nothing is known against it, or that is told already. */
    private @Nullable String whyNot(Json file, Path path) {
        try {
            return from.patience().<@Nullable String>ask(path, reading -> whyNot(path, path.getParent()));
        } catch (FileAnswers.Unanswered e) {
            from.files().add(path);
            problems.unanswered(file, file.shown(), e, EXPECTED);
            return null;
        } catch (IOException e) {
            return "which can't be looked at";
        }
    }

    private static @Nullable String whyNot(Path path, @Nullable Path parent) {
        if (Files.isDirectory(path)) {
            return "which is a folder";
        }
        if (Files.exists(path)) {
            return Files.isWritable(path) ? null : "which can't be written";
        }
        if (parent == null || !Files.exists(parent)) {
            return "whose folder is not there";
        }
        if (!Files.isDirectory(parent)) {
            return "whose folder is a file";
        }
        return Files.isWritable(parent) ? null : "whose folder can't be written";
    }
}
