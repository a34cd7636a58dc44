package net.oooops.sigma.config;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the layers of a configuration, with all files that they include, to one tree, in which variables and secrets have their values. For one configuration
 * and one thread.
 */
final class ConfigFiles {
    /** How deep a file may be included by one that is included. */
    static final int DEPTH_MAX = 10;

    /** How many files may be included, in all. */
    static final int FILES_MAX = 1000;

    /** How long all files together may be. */
    static final int ALL_BYTES_MAX = 64 << 20;

    private static final String INCLUDE = "include";

    private final ConfigSchema schema;
    private final Variables variables;
    private final SecretReader secrets;
    private final Problems problems = new Problems();
    private final Set<Path> files = new LinkedHashSet<>();
    private final ConfigTexts texts;

    /** Those that are being read, from the first to the one that it is about, and what they are called. */
    private final Map<Path, String> open = new LinkedHashMap<>();

    /** Where each file is included, that is or was read. */
    private final Map<Path, Json> included = new HashMap<>();

    private int includedCount;
    private int bytesLeft = ALL_BYTES_MAX;
    private boolean unread;

    ConfigFiles(ConfigSchema schema, Environment environment, ConfigTexts texts) {
        this.schema = schema;
        this.texts = texts;
        this.variables = new Variables(schema, environment, problems);
        this.secrets = new SecretReader(schema, environment, new NamedFile.Reading(files, problems, texts.patience()));
    }

    /** What was found wrong so far. */
    Problems problems() {
        return problems;
    }

    /** What was read so far, or was to be and isn't there, and the folders that were included. */
    Set<Path> files() {
        return files;
    }

    /** What was in the files of configuration that were read so far. */
    List<ConfigText> texts() {
        return texts.all();
    }

    /** Why not all of them are there. */
    CurrentTexts.Lack lack() {
        return texts.lack();
    }

    /** The routes that were read, for whoever reads the same files again. */
    KnownRoutes routes(Problems warnings) {
        return texts.known(warnings);
    }

    /** The secrets that were read so far. */
    Secrets secrets() {
        return secrets.secrets();
    }

    /** The tree of all layers and what they include; null where a part can't be read, so that of the whole nothing can be said. */
    @Nullable Json read(List<Layer> layers) {
        Json whole = null;
        for (Layer each : layers) {
            Json root = read(each);
            if (root == null || root.kind() != Json.Kind.OBJECT) {
                unread = true;
                if (root != null) {
                    noObject(root);
                }
            } else if (whole == null) {
                whole = root;
            } else {
                LayerMerge.override(whole, root);
            }
        }
        return unread ? null : whole;
    }

    private @Nullable Json read(Layer layer) {
        Path file = layer.file();
        JsonFile reading = reading(layer.source());
        Json root = file == null ? reading.read(layer.json()) : reading.read(file, texts);
        if (file != null) {
            files.add(file);
        } else {
            texts.add(layer.source().name(), layer.json());
        }
        if (root != null) {
            Path opened = opened(layer, root);
            open.put(opened, layer.source().shownName());
            complete(root, reading);
            open.remove(opened);
            // Another layer may include the same.
            included.clear();
        }
        return root;
    }

    /** What it is known by to what it includes, which may be itself. The system isn't asked for that where it includes nothing. */
    private Path opened(Layer layer, Json root) {
        Path file = layer.file();
        Path real = file == null || !root.members().containsKey(INCLUDE) ? null : texts.real(file);
        return real == null ? layer.source().folder() : real;
    }

    private JsonFile reading(Source source) {
        boolean few = bytesLeft < ConfigReader.FILE_BYTES_MAX;
        int bytesMax = few ? bytesLeft : ConfigReader.FILE_BYTES_MAX;
        String expected =
                few ? "at most " + ALL_BYTES_MAX + " in all files together" : "at most " + bytesMax + " bytes";
        Source there = texts.isGone(source.folder()) ? source.withoutFolder() : source;
        return new JsonFile(bytesMax, expected, there, problems);
    }

    /** Gives variables and secrets their values, and adds what is included. */
    private void complete(Json root, JsonFile reading) {
        bytesLeft -= reading.bytesCount();
        variables.expand(root);
        secrets.read(root);
        Json include = root.members().get(INCLUDE);
        if (include == null) {
            return;
        }
        root.members().remove(INCLUDE);
        new SchemaCheck(schema.refs(), problems).check(schema.refs().resolve("#/properties/include"), include);
        for (Json each : include.itemsOrSelf()) {
            if (each.isText() && !problems.has(each) && !problems.has(include)) {
                include(root, each);
            } else {
                unread = true;
            }
        }
    }

    /** A file that is to be included: what names it, and how it would be named by itself. */
    private record Part(Json named, String written) {
        Path path() {
            return named.source().resolve(written);
        }

        Source source() {
            return named.source().beside(written);
        }
    }

    private void include(Json root, Json named) {
        try {
            Path path = named.path();
            if (!texts.isFolder(path)) {
                include(root, new Part(named, named.text()));
                return;
            }
            files.add(path);
            for (String name : texts.names(path)) {
                if (isConfiguration(name)) {
                    include(root, new Part(named, named.text() + "/" + name));
                }
            }
        } catch (InvalidPathException e) {
            unread(named, named.shown(), "the path of a file or folder");
        } catch (IOException e) {
            unread(named, named.shown() + ", which can't be read", "a folder that can be read");
        }
    }

    private static boolean isConfiguration(String name) {
        return !name.startsWith(".") && (name.endsWith(".json") || Source.isYaml(name));
    }

    private void include(Json root, Part part) {
        Path path = part.path();
        if (includedCount < FILES_MAX) {
            files.add(path);
        }
        Path real = texts.real(path);
        if (real == null) {
            unread(part.named, Json.quoted(part.written) + ", which is not there", "a file or a folder");
        } else if (mayInclude(part, real)) {
            included.put(real, part.named);
            includedCount++;
            JsonFile reading = reading(part.source());
            Json read = reading.read(path, texts);
            if (read == null || read.kind() != Json.Kind.OBJECT) {
                unread = true;
                if (read != null) {
                    noObject(read);
                }
                return;
            }
            open.put(real, reading.source().shownName());
            complete(read, reading);
            open.remove(real);
            IncludeMerge.add(root, read, problems);
        }
    }

    /** What isn't configuration may be nobody's business: nothing of it is shown. */
    private void noObject(Json read) {
        boolean named = read.kind() == Json.Kind.ARRAY || read.kind() == Json.Kind.NULL;
        problems.value(read, named ? read.shown() : "no configuration", "an object", null);
    }

    private boolean mayInclude(Part part, Path real) {
        Json named = part.named;
        String found = Json.quoted(part.written);
        Json before = included.get(real);
        if (open.containsKey(real)) {
            List<String> chain = new ArrayList<>(open.values());
            chain.add(open.getOrDefault(real, ""));
            unread(named, found + ", which leads here", "no file that includes itself: " + String.join(" → ", chain));
        } else if (before != null) {
            String where = before.source().shownName() + ":" + before.line();
            unread(named, found + " a second time", "each file once; " + where + " includes it");
        } else if (open.size() > DEPTH_MAX) {
            unread(named, found + ", which is included deeper", "at most " + DEPTH_MAX + " levels");
        } else if (includedCount == FILES_MAX) {
            unread(named, "more files", "at most " + FILES_MAX + " that are included");
        } else {
            return true;
        }
        return false;
    }

    private void unread(Json named, String found, String expected) {
        problems.value(named, found, expected, null);
        unread = true;
    }
}
