package net.oooops.sigma.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The files beside these tests, and the folders that they come from. */
final class TestFiles {

    private TestFiles() {}

    /** The text of a file. */
    static String text(String name) {
        try {
            return Files.readString(path(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file or folder on the class path. */
    static Path path(String name) {
        URL url = Objects.requireNonNull(TestFiles.class.getResource(name), name);
        try {
            return Path.of(url.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(name, e);
        }
    }

    /** The checkout that is being built. */
    static Path checkout() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("gateway/src"))) {
            folder = Objects.requireNonNull(folder.getParent(), "no folder above has gateway/src");
        }
        return folder;
    }

    /** The golden inputs of JSON, by name. */
    static List<Path> goldenInputs() {
        return goldenInputs(".json");
    }

    /** The golden inputs with that end of their names, by name. */
    static List<Path> goldenInputs(String end) {
        try (Stream<Path> files = Files.list(path("golden"))) {
            return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
