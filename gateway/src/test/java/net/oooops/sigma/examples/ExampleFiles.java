package net.oooops.sigma.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folder {@code examples/}: its files, and the table of its README. */
final class ExampleFiles {
    /** Vert.x's options, the one file that is no sigma.json, and the file that it is shown with. */
    static final String OPTIONS = "options.json";

    static final String WITH_OPTIONS = "runtime.json";

    private static final Pattern ROW = Pattern.compile("(?m)^\\| \\[(\\S+)]\\(\\1\\) \\| .+ \\| `(.+)` \\|$");

    private ExampleFiles() {}

    /** The folder. */
    static Path folder() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isRegularFile(folder.resolve("examples/README.md"))) {
            folder = Objects.requireNonNull(folder.getParent(), "no folder above has examples/README.md");
        }
        return folder.resolve("examples");
    }

    /** The names of all files that end in {@code .json}, sorted. */
    static List<String> names() {
        try (Stream<Path> files = Files.list(folder())) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(".json"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sigma.json that an example is started from: itself, unless it is {@link #OPTIONS}. */
    static Path config(String name) {
        return folder().resolve(name.equals(OPTIONS) ? WITH_OPTIONS : name);
    }

    /** By file, the line to try it with, as the table of the README has it. */
    static Map<String, String> linesToTry() {
        Map<String, String> lines = new TreeMap<>();
        try {
            for (MatchResult row : ROW.matcher(Files.readString(folder().resolve("README.md")))
                    .results()
                    .toList()) {
                lines.put(row.group(1), row.group(2).replace("\\|", "|"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines;
    }
}
