package net.oooops.sigma.config;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The file of the access log can be appended to, or made: something that only the machine knows that the gateway is to run on. */
final class LogFileCheck {
    private final Problems problems;

    LogFileCheck(Problems problems) {
        this.problems = problems;
    }

    void check(Json root) {
        Json plugins = root.get("plugins");
        Json log = plugins == null ? null : plugins.get("log-config");
        Json file = log == null || !log.flag("enable", true) ? null : log.get("file");
        if (file == null || !file.isText() || problems.has(file) || file.text().equals(AccessLogConfig.STDOUT)) {
            return;
        }
        try {
            Path path = file.path().toAbsolutePath();
            String why = whyNot(path, path.getParent());
            if (why != null) {
                problems.value(file, file.shown() + ", " + why, "a file that can be appended to", null);
            }
        } catch (InvalidPathException e) {
            problems.value(file, "the path of a file");
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
