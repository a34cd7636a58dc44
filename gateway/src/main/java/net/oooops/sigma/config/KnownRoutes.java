package net.oooops.sigma.config;

import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The routes of a configuration that was read, as they are written: whoever reads its files again needn't look once more at those whose text is the same.
 * Immutable.
 */
public final class KnownRoutes {
    /** None. */
    public static final KnownRoutes NONE = new KnownRoutes(Map.of(), 0);

    /** By the paths of their files. */
    private final Map<Path, OfFile> files;

    /** Those of one file, and what was in it. */
    record OfFile(ConfigText file, List<RouteText> routes) {}

    private final int lookedAtCount;

    private KnownRoutes(Map<Path, OfFile> files, int lookedAtCount) {
        this.files = files;
        this.lookedAtCount = lookedAtCount;
    }

    /** How many routes were looked at, which weren't there with the same text before. */
    int lookedAtCount() {
        return lookedAtCount;
    }

    /**
     * Those that were right.
     *
     * @param texts the files
     * @param read by their paths, those that were read in them
     */
    static KnownRoutes of(List<ConfigText> texts, Map<Path, RouteTexts> read, Problems warnings) {
        Map<Path, OfFile> files = new HashMap<>();
        int lookedAtCount = 0;
        for (RouteTexts each : read.values()) {
            lookedAtCount += each.lookedAtCount();
        }
        for (ConfigText text : texts) {
            RouteTexts routes = read.get(text.path());
            List<RouteText> right = routes == null ? List.of() : routes.right(warnings);
            if (!right.isEmpty()) {
                files.put(text.path(), new OfFile(text, right));
            }
        }
        return files.isEmpty() ? NONE : new KnownRoutes(files, lookedAtCount);
    }

    /** For a file that is read again. */
    RouteTexts of(Path path) {
        OfFile before = files.get(path);
        String text = before == null ? null : text(before.file);
        return text == null || before == null ? new RouteTexts("", List.of()) : new RouteTexts(text, before.routes);
    }

    private static @Nullable String text(ConfigText file) {
        try {
            return JsonFile.text(file.bytes());
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
