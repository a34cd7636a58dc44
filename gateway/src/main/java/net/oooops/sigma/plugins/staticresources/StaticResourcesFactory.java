package net.oooops.sigma.plugins.staticresources;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Schedule;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Makes {@code static-resources}. */
public final class StaticResourcesFactory implements PluginFactory {
    private static final FieldName CACHE_CONTROL = FieldName.of("Cache-Control");

    private static final int RANGES_DEFAULT = 16;
    private static final int THREADS_DEFAULT = 4;
    private static final int ENTRIES_DEFAULT = 1024;
    private static final int SMALL_FILE_DEFAULT = 64 * 1024;
    private static final int OPEN_FILES_DEFAULT = 256;
    private static final long BYTES_DEFAULT = 32L * 1024 * 1024;

    /** For paths: of those that are as long as most are, all entries; and the longest in any case. */
    private static final long PATH_BYTES = 256;

    private static final long PATH_BYTES_MIN = 16 * 1024;

    /** How often what was found is looked through for what isn't believed any more: as long as that is believed, within these. */
    private static final long SWEPT_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);

    private static final long SWEPT_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    @Override
    public String name() {
        return "static-resources";
    }

    @Override
    public String schema() {
        return StaticResourcesSchema.TEXT;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings cache = settings.get("cache");
        long entries = within(cache.get("entries"), ENTRIES_DEFAULT, 0, 1_000_000);
        long small = within(cache.get("small-file"), SMALL_FILE_DEFAULT, 0, 1024 * 1024);
        long bytes = within(cache.get("bytes"), BYTES_DEFAULT, 0, Integer.MAX_VALUE);
        Rules rules = rules(settings, entries == 0 ? -1 : (int) small, Refusals.of(context));
        long validNanos = entries == 0
                ? 0
                : cache.get("validity").duration(Duration.ofSeconds(1)).toNanos();
        long open = within(cache.get("open-files"), OPEN_FILES_DEFAULT, 0, 1_000_000);
        long pathBytes = PATH_BYTES_MIN + entries * PATH_BYTES;
        Cache.Pair known = new Cache.Pair(
                new Cache(new Cache.Bounds((int) entries, bytes + pathBytes, open), validNanos),
                new Cache(new Cache.Bounds((int) entries, pathBytes, 0), validNanos));
        Lookers lookers = new Lookers((int) within(settings.get("threads"), THREADS_DEFAULT, 1, 64));
        Tree tree = new Tree(root(settings.get("root")), links(settings.get("follow-links")), rules.dotFiles());
        StaticResources plugin = new StaticResources(rules, new Shelf(tree, rules), known, lookers, System::nanoTime);
        if (validNanos > 0) {
            long periodNanos = Math.clamp(validNanos, SWEPT_NANOS_MIN, SWEPT_NANOS_MAX);
            context.timer("sweep", Schedule.every(Duration.ofNanos(periodNanos)), plugin::sweep);
        }
        return plugin;
    }

    private static Rules rules(Settings settings, int smallBytesMax, Refusals refusals) {
        boolean dotFiles = settings.get("dot-files").string("refuse").equals("allow");
        return new Rules(
                stripped(settings.get("strip-prefix")),
                index(settings.get("index")),
                fallback(settings.get("fallback")),
                new MediaTypes(types(settings.get("content-types"))),
                cacheControl(settings.get("cache-control")),
                codings(settings.get("precompressed")),
                dotFiles,
                settings.get("missing").string("refuse").equals("pass"),
                (int) within(settings.get("ranges"), RANGES_DEFAULT, 1, 1000),
                smallBytesMax,
                refusals);
    }

    private static long within(Settings number, long absent, long least, long most) {
        long value = number.integer(absent);
        if (value < least || value > most) {
            throw number.unexpected(least + " to " + most);
        }
        return value;
    }

    private static Path root(Settings root) {
        Path path;
        try {
            path = Path.of(root.string()).toAbsolutePath();
        } catch (InvalidPathException e) {
            throw root.unexpected("a folder");
        }
        if (root.string().isEmpty() || !Files.isDirectory(path) || !Files.isReadable(path)) {
            throw root.unexpected("a folder that is there and may be read; it is looked for at " + path);
        }
        return path;
    }

    private static Tree.Links links(Settings settings) {
        return switch (settings.string("inside")) {
            case "none" -> Tree.Links.NONE;
            case "anywhere" -> Tree.Links.ANYWHERE;
            default -> Tree.Links.INSIDE;
        };
    }

    private static Ascii stripped(Settings prefix) {
        String text = prefix.string("");
        boolean sound = text.isEmpty() || (text.startsWith("/") && !text.endsWith("/"));
        if (!sound) {
            throw prefix.unfit("the beginning of a path, such as \"/static\"");
        }
        try {
            return Ascii.of(text);
        } catch (IllegalArgumentException e) {
            throw prefix.unfit("the beginning of a path as clients send it, in US-ASCII");
        }
    }

    private static List<String> index(Settings index) {
        if (!index.isPresent()) {
            return List.of("index.html");
        }
        List<String> names = new ArrayList<>();
        for (Settings each : index.elements()) {
            String name = each.string();
            if (name.isEmpty() || name.indexOf('/') >= 0 || name.startsWith("..") || name.equals(".")) {
                throw each.unexpected("the name of a file, without a slash");
            }
            names.add(name);
        }
        return names;
    }

    private static @Nullable String fallback(Settings fallback) {
        if (!fallback.isPresent()) {
            return null;
        }
        String name = fallback.string();
        for (String step : name.split("/", -1)) {
            if (step.isEmpty() || step.equals(".") || step.equals("..")) {
                throw fallback.unexpected("the name of a file below \"root\", such as \"index.html\"");
            }
        }
        return name;
    }

    private static Map<String, String> types(Settings types) {
        Map<String, String> all = new HashMap<>();
        for (String suffix : types.keys()) {
            Settings type = types.get(suffix);
            String text = type.string();
            if (text.indexOf('/') < 1 || !Field.isValue(text) || !isAscii(text)) {
                throw type.unexpected("a media type, such as \"text/plain\"");
            }
            String bare = suffix.startsWith(".") ? suffix.substring(1) : suffix;
            if (bare.isEmpty() || bare.indexOf('.') >= 0 || bare.indexOf('/') >= 0) {
                throw types.unexpected("suffixes of one part, such as \".glb\", which \"" + suffix + "\" isn't");
            }
            all.put(bare.toLowerCase(Locale.ROOT), text);
        }
        return all;
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x7F);
    }

    private static Map<String, Field> cacheControl(Settings settings) {
        if (!settings.isPresent()) {
            return Map.of();
        }
        if (settings.isText()) {
            return Map.of("", cacheControlOf(settings));
        }
        Map<String, Field> all = new HashMap<>();
        for (String end : settings.keys()) {
            all.put(end.equals("*") ? "" : end, cacheControlOf(settings.get(end)));
        }
        return all;
    }

    private static Field cacheControlOf(Settings value) {
        try {
            return Field.of(CACHE_CONTROL, value.string());
        } catch (IllegalArgumentException e) {
            throw value.unfit("a value of Cache-Control");
        }
    }

    private static List<Rules.Coding> codings(Settings settings) {
        List<Rules.Coding> codings = new ArrayList<>();
        for (Settings each : settings.elements()) {
            codings.add(
                    switch (each.string()) {
                        case "br" -> new Rules.Coding("br", ".br");
                        case "zstd" -> new Rules.Coding("zstd", ".zst");
                        case "gzip" -> new Rules.Coding("gzip", ".gz");
                        default -> throw each.unexpected("br, zstd or gzip");
                    });
        }
        return codings;
    }
}
