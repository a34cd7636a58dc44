package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts texts that are never shown in the place of the objects of a tree that say where they are: {@code {"$file": "path"}}, {@code {"$env": "NAME"}}.
 * Only where a schema says so: what names something, or shows in another way, is refused, and not even read.
 */
final class SecretReader {
    /** What a schema says of texts that Sigma shows nowhere: true. */
    static final String KEYWORD = "x-secret";

    /** The longest file of one. */
    static final int FILE_BYTES_MAX = 64 << 10;

    private static final NamedFile SECRET = new NamedFile(FILE_BYTES_MAX, "64 KiB");

    private static final String EXPECTED =
            "none here, where Sigma shows what is written; ${NAME} takes a variable that is no secret";

    /** A file that is being written, or a disk that is full: what nobody knows would let everybody in. */
    private static final String SOMETHING = "a secret, of one character at least";

    private static final String FILE = "$file";
    private static final String ENVIRONMENT = "$env";

    private final ConfigSchema schema;
    private final Environment environment;
    private final NamedFile.Reading files;
    private final Problems problems;
    private final List<String> found = new ArrayList<>();

    SecretReader(ConfigSchema schema, Environment environment, NamedFile.Reading files) {
        this.schema = schema;
        this.environment = environment;
        this.files = files;
        this.problems = files.problems();
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
            if (schema.steps().says(each, KEYWORD)) {
                take(each);
            } else if (!schema.steps().isUnknown(each)) {
                problems.value(each, written(each), EXPECTED, null);
                each.settle();
            }
        }
    }

    private void take(Json named) {
        String text = text(named);
        if (text == null) {
            problems.told(named);
            named.settle();
        } else {
            found.add(text);
            named.replaceWith(named.secret(text));
        }
    }

    private static String written(Json named) {
        return "a secret, " + Json.quoted(named.get(FILE) == null ? ENVIRONMENT : FILE);
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
        for (Json inner : value.kind() == Json.Kind.OBJECT ? value.members().values() : value.unknown()) {
            collect(inner, named);
        }
    }

    private @Nullable String ofEnvironment(Json name) {
        String value = environment.get(name.text());
        if (value == null) {
            String found = "the variable " + name.shown() + ", " + environment.lack();
            String expected = "the name of a variable of the environment that is set" + environment.remedy();
            problems.value(name, found, expected, null);
        } else if (value.isEmpty()) {
            String found = "the variable " + name.shown() + ", which is empty";
            problems.value(name, found, SOMETHING, null);
            return null;
        }
        return value;
    }

    private @Nullable String ofFile(Json file) {
        String text = SECRET.read(file, files);
        if (text == null) {
            return null;
        }
        String secret = withoutLineEnd(text);
        if (secret.isEmpty()) {
            problems.value(file, "the file " + file.shown() + ", which is empty", SOMETHING, null);
            return null;
        }
        return secret;
    }

    private static String withoutLineEnd(String text) {
        if (!text.endsWith("\n")) {
            return text;
        }
        int cut = text.endsWith("\r\n") ? 2 : 1;
        return text.substring(0, text.length() - cut);
    }
}
