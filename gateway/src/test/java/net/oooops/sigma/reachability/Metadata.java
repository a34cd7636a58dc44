package net.oooops.sigma.reachability;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the entries of a class path register for a native image, in both formats: {@code reachability-metadata.json}, and the files whose place that
 * has taken. What is registered for native code counts, too: Netty has such classes loaded, and asks for no member of them.
 */
final class Metadata {
    private static final String FOLDER = "META-INF/native-image";
    private static final String FILE = "reachability-metadata.json";
    private static final Pattern STARS = Pattern.compile("\\*+");

    /** The members of a type that may be looked up by name. */
    private static final class Members {
        private final Set<String> fields = new HashSet<>();
        private final Set<String> methods = new HashSet<>();
        private boolean allFields;
        private boolean allMethods;
        private boolean allConstructors;
        /** Whether they may be looked at, if not be called. */
        private boolean queried;
    }

    private final Map<String, Members> types = new HashMap<>();
    private final Set<String> proxies = new HashSet<>();
    private final List<Pattern> resources = new ArrayList<>();

    /** Of all jars and folders there. */
    static Metadata of(List<Path> classPath) {
        Metadata all = new Metadata();
        for (Path entry : classPath) {
            try {
                all.readEntry(entry);
            } catch (IOException e) {
                throw new UncheckedIOException(entry.toString(), e);
            }
        }
        return all;
    }

    private void readEntry(Path entry) throws IOException {
        if (Files.isDirectory(entry)) {
            readFolder(entry.resolve(FOLDER));
        } else if (Files.exists(entry)) {
            try (FileSystem jar = FileSystems.newFileSystem(entry)) {
                readFolder(jar.getPath(FOLDER));
            }
        }
    }

    private void readFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each :
                    all.filter(path -> path.toString().endsWith(".json")).toList()) {
                read(each.getFileName().toString(), Files.readString(each));
            }
        }
    }

    private void read(String name, String text) {
        switch (name) {
            case FILE -> {
                JsonObject all = new JsonObject(text);
                objects(all, "reflection").forEach(each -> readType(each, "type"));
                objects(all, "resources").forEach(each -> resources.add(pattern(each.getString("glob"))));
            }
            case "reflect-config.json", "jni-config.json" ->
                new JsonArray(text).forEach(each -> readType((JsonObject) each, "name"));
            case "resource-config.json" -> {
                // Older ones have a list of globs in its place, of no jar that the gateway needs.
                if (new JsonObject(text).getValue("resources") instanceof JsonObject resourcesOf) {
                    objects(resourcesOf, "includes")
                            .forEach(each -> resources.add(Pattern.compile(each.getString("pattern"))));
                }
            }
            default -> {
                // Of no interest here.
            }
        }
    }

    private static List<JsonObject> objects(JsonObject of, String key) {
        return of.getJsonArray(key, new JsonArray()).stream()
                .map(JsonObject.class::cast)
                .toList();
    }

    /** Stars as the format has them: one for what is between two slashes, two for all. */
    static Pattern pattern(String glob) {
        StringBuilder text = new StringBuilder();
        Matcher stars = STARS.matcher(glob);
        int from = 0;
        while (stars.find()) {
            text.append(Pattern.quote(glob.substring(from, stars.start())));
            text.append(stars.group().length() > 1 ? ".*" : "[^/]*");
            from = stars.end();
        }
        return Pattern.compile(text.append(Pattern.quote(glob.substring(from))).toString());
    }

    private void readType(JsonObject type, String key) {
        if (type.getValue(key) instanceof JsonObject proxy) {
            proxies.add(words(proxy.getJsonArray("proxy")));
            return;
        }
        Members members = types.computeIfAbsent(type.getString(key), name -> new Members());
        members.queried |= key.equals("type");
        objects(type, "fields").forEach(each -> members.fields.add(each.getString("name")));
        objects(type, "methods")
                .forEach(each -> members.methods.add(each.getString("name") + "("
                        + words(each.getJsonArray("parameterTypes", new JsonArray())) + ")"));
        for (String word : type.fieldNames()) {
            members.queried |= word.matches("queryAll(Declared|Public)Methods");
            members.allFields |= word.matches("all(Declared|Public)Fields");
            members.allMethods |= word.matches("all(Declared|Public)Methods");
            members.allConstructors |= word.matches("all(Declared|Public)Constructors");
        }
    }

    private static String words(JsonArray all) {
        return all.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** Whether that may be looked up in a native image. */
    boolean has(LookedUp it) {
        Members members = types.getOrDefault(it.type(), new Members());
        return switch (it.kind()) {
            case "type" -> types.containsKey(it.type());
            case "proxy" -> proxies.contains(it.type());
            case "resource" ->
                resources.stream().anyMatch(each -> each.matcher(it.member()).matches());
            case "field" -> members.allFields || members.fields.contains(it.member());
            case "method" -> hasMethod(members, it);
            case "all" -> members.queried;
            default -> false;
        };
    }

    private static boolean hasMethod(Members members, LookedUp it) {
        boolean all = it.member().startsWith("<init>") ? members.allConstructors : members.allMethods;
        return all || members.methods.contains(it.member()) || (members.queried && it.isQuery());
    }
}
