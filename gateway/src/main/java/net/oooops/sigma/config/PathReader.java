package net.oooops.sigma.config;

import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes paths in settings of plugins absolute, wherever a plugin's schema says that a text is one: relative ones start from the folder of the file that they
 * stand in, which plugins don't know.
 */
final class PathReader {
    /** What a schema says of texts that are paths of files or folders: true. */
    static final String KEYWORD = "x-path";

    private final ConfigSchema schema;
    private final Problems problems;

    PathReader(ConfigSchema schema, Problems problems) {
        this.schema = schema;
        this.problems = problems;
    }

    /** Those of the settings of one plugin, in place. Problems with them name the same place as before. */
    void fillIn(Json settings) {
        if (!schema.hasPaths(settings.step())) {
            return;
        }
        List<Json> texts = new ArrayList<>();
        collect(settings, texts);
        for (Json each : texts) {
            if (!problems.has(each) && schema.steps().says(each, KEYWORD)) {
                makeAbsolute(each);
            }
        }
    }

    private static void makeAbsolute(Json text) {
        try {
            text.replaceWith(text.withText(text.path().toAbsolutePath().toString()));
        } catch (InvalidPathException _) {
            // The plugin says so, in its own words.
        }
    }

    private static void collect(Json value, List<Json> texts) {
        if (value.isText() && !value.isSecret() && !value.text().isEmpty()) {
            texts.add(value);
        }
        for (Json inner : value.kind() == Json.Kind.OBJECT ? value.members().values() : value.items()) {
            collect(inner, texts);
        }
    }
}
