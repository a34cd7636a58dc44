package net.oooops.sigma.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Puts texts that are never shown in the place of the objects of a tree that say where they are: {@code {"$file": "path"}}, {@code {"$env": "NAME"}}.
 */
final class SecretReader {
    /** The longest file of one. */
    static final int FILE_BYTES_MAX = 64 << 10;

    private static final String FILE = "$file";
    private static final String ENVIRONMENT = "$env";

    private final Environment environment;
    private final Set<Path> files;
    private final Problems problems;
    private final List<String> found = new ArrayList<>();

    /** @param files gets what is read */
    SecretReader(Environment environment, Set<Path> files, Problems problems) {
        this.environment = environment;
        this.files = files;
        this.problems = problems;
    }

    /** Those of all trees that were read. */
    Secrets secrets() {
        return found.isEmpty() ? Secrets.NONE : new Secrets(found);
    }

    /** Reads all that a tree names, and puts them there. */
    void read(Json root) {
        List<Json> named = new ArrayList<>();
        collect(root, named);
        for (Json each : named) {
            String text = text(each);
            if (text == null) {
                problems.told(each);
            } else {
                found.add(text);
                each.replaceWith(each.secret(text));
            }
        }
    }

    private @Nullable String text(Json named) {
        Json from = named.members().values().iterator().next();
        if (named.members().size() > 1 || !from.isText()) {
            problems.value(named, "an object with one key, \"$file\" or \"$env\", and a text under it");
            return null;
        }
        if (problems.has(from)) {
            return null;
        }
        return from.step().equals(FILE) ? ofFile(from) : ofEnvironment(from);
    }

    private static void collect(Json value, List<Json> named) {
        if (value.get(FILE) != null || value.get(ENVIRONMENT) != null) {
            named.add(value);
            return;
        }
        for (Json inner : value.kind() == Json.Kind.OBJECT ? value.members().values() : value.items()) {
            collect(inner, named);
        }
    }

    private @Nullable String ofEnvironment(Json name) {
        String value = environment.get(name.text());
        if (value == null) {
            String found = "the variable " + name.shown() + ", which is not set";
            problems.value(name, found, "the name of a variable of the environment that is set", null);
        }
        return value;
    }

    private @Nullable String ofFile(Json file) {
        try {
            Path path = file.path();
            if (Files.isDirectory(path)) {
                problems.value(file, file.shown() + ", which is a folder", "a file", null);
                return null;
            }
            files.add(path);
            return ofFile(file, path);
        } catch (InvalidPathException e) {
            problems.value(file, "the path of a file");
        } catch (NoSuchFileException e) {
            problems.value(file, file.shown() + ", which is not there", "a file", null);
        } catch (CharacterCodingException e) {
            problems.value(file, file.shown() + ", which is not UTF-8", "a file in UTF-8", null);
        } catch (IOException e) {
            problems.value(file, "a file that can be read");
        }
        return null;
    }

    private @Nullable String ofFile(Json file, Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(FILE_BYTES_MAX + 1);
            if (bytes.length > FILE_BYTES_MAX) {
                problems.value(file, file.shown() + ", which is longer", "a file of at most 64 KiB", null);
                return null;
            }
            return withoutLineEnd(Utf8.decode(bytes, 0));
        }
    }

    private static String withoutLineEnd(String text) {
        if (!text.endsWith("\n")) {
            return text;
        }
        int cut = text.endsWith("\r\n") ? 2 : 1;
        return text.substring(0, text.length() - cut);
    }
}
