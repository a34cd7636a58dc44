package net.oooops.sigma.control.history;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One configuration that took effect.
 *
 * @param number that it can be asked for by; later ones have higher ones
 * @param at when
 * @param who had it take effect: a user's name, {@code start}, {@code SIGHUP} or {@code watch}
 * @param hash of its files, by {@link FileHash}
 * @param files that it was read from
 */
public record Entry(int number, Instant at, String who, String hash, List<Path> files) {
    public Entry {
        files = List.copyOf(files);
    }

    /** The same, under that number. */
    Entry numbered(int other) {
        return new Entry(other, at, who, hash, files);
    }

    /** What says it, but for the number. */
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("at", at.toString());
        json.put("by", who);
        json.put("sha256", hash);
        json.put("files", files.stream().map(Path::toString).toList());
        return json;
    }

    /** What such a tree says; null where it says something else. */
    static @Nullable Entry of(int number, Map<String, @Nullable Object> json) {
        if (!(json.get("at") instanceof String at)
                || !(json.get("by") instanceof String who)
                || !(json.get("sha256") instanceof String hash)
                || !(json.get("files") instanceof List<?> names)) {
            return null;
        }
        List<Path> files = new ArrayList<>();
        names.forEach(name -> files.add(Path.of(String.valueOf(name))));
        try {
            return new Entry(number, Instant.parse(at), who, hash, files);
        } catch (DateTimeException e) {
            return null;
        }
    }
}
