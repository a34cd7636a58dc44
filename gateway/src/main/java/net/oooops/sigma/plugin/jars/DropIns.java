package net.oooops.sigma.plugin.jars;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that is in a folder of plugins: each jar directly in it, and each folder in it with jars. What begins with a dot is passed over, and so are other files.
 *
 * <p>Immutable, any thread.
 */
public final class DropIns {
    /** No folder. */
    public static final DropIns NONE = new DropIns(null, List.of(), new Notes());

    private static final String JAR = ".jar";

    private final @Nullable Path folder;
    private final List<DropIn> all;
    private final List<String> problems;
    private final List<String> warnings;

    /** What there is to say. */
    private static final class Notes {
        private final List<String> problems = new ArrayList<>();
        private final List<String> warnings = new ArrayList<>();

        void problem(Path at, String found, String expected) {
            problems.add(shown(at) + ": " + found + " (expected: " + expected + ")");
        }
    }

    private DropIns(@Nullable Path folder, List<DropIn> all, Notes notes) {
        this.folder = folder;
        this.all = List.copyOf(all);
        this.problems = List.copyOf(notes.problems);
        this.warnings = List.copyOf(notes.warnings);
    }

    /** Loads what is in that folder. Whatever is wrong is among the {@link #problems}. */
    public static DropIns read(Path folder) {
        return read(folder, NONE);
    }

    /** What is there by now. What didn't change is the same, and where nothing did, so is all of it. */
    public DropIns again() {
        if (folder == null) {
            return this;
        }
        DropIns now = read(folder, this);
        return now.isSame(this) ? this : now;
    }

    private boolean isSame(DropIns other) {
        boolean same =
                all.size() == other.all.size() && problems.equals(other.problems) && warnings.equals(other.warnings);
        for (int i = 0; same && i < all.size(); i++) {
            same = all.get(i) == other.all.get(i);
        }
        return same;
    }

    private static DropIns read(Path folder, DropIns before) {
        Map<String, DropIn> known = new LinkedHashMap<>();
        before.all.forEach(each -> known.put(each.place(), each));
        Notes notes = new Notes();
        List<DropIn> loaded = new ArrayList<>();
        warn(folder, notes);
        for (DropIn.Found found : found(folder, notes)) {
            found.jars().forEach(jar -> warn(jar, notes));
            try {
                loaded.add(DropIn.load(found, known.get(found.place())));
            } catch (Unfit e) {
                notes.problem(found.at(), String.valueOf(e.getMessage()), e.expected());
            }
        }
        if (loaded.isEmpty() && notes.problems.isEmpty()) {
            notes.warnings.add(shown(folder) + ": no plugin is in it (expected: NAME.jar, or NAME/*.jar)");
        }
        return new DropIns(folder, loaded, notes);
    }

    private static List<DropIn.Found> found(Path folder, Notes notes) {
        List<DropIn.Found> all = new ArrayList<>();
        for (Path each : entries(folder, notes)) {
            if (Files.isDirectory(each)) {
                List<Path> jars =
                        entries(each, notes).stream().filter(DropIns::isJar).toList();
                if (!jars.isEmpty()) {
                    warn(each, notes);
                    all.add(new DropIn.Found(each, jars));
                }
            } else if (isJar(each)) {
                all.add(new DropIn.Found(each, List.of(each)));
            }
        }
        return all;
    }

    /** By name, so that the order is the same on each machine. */
    private static List<Path> entries(Path folder, Notes notes) {
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path each : entries) {
                if (!String.valueOf(each.getFileName()).startsWith(".")) {
                    all.add(each);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            notes.problem(folder, "can't be listed: " + e, "a folder that this user may read");
        }
        Collections.sort(all);
        return all;
    }

    private static boolean isJar(Path file) {
        return file.toString().endsWith(JAR) && !Files.isDirectory(file);
    }

    private static void warn(Path at, Notes notes) {
        try {
            Set<PosixFilePermission> may = Files.getPosixFilePermissions(at);
            boolean others = may.contains(PosixFilePermission.OTHERS_WRITE);
            if (others || may.contains(PosixFilePermission.GROUP_WRITE)) {
                notes.warnings.add(shown(at) + ": " + (others ? "everybody" : "its group")
                        + " may write to it, and so have the gateway run code (expected: chmod go-w)");
            }
        } catch (IOException | UnsupportedOperationException e) {
            // It isn't there, which is told elsewhere; or there are no such permissions.
            return;
        }
    }

    private static String shown(Path path) {
        return new DropIn.Found(path, List.of()).place();
    }

    /** Those that can be used, by their names. */
    public List<DropIn> all() {
        return all;
    }

    /** What is wrong, a line each. */
    public List<String> problems() {
        return problems;
    }

    /** What is right but dangerous, or probably not meant, a line each. */
    public List<String> warnings() {
        return warnings;
    }

    /** The folder, and all in it that matters, as it is now. */
    public List<Path> files() {
        List<Path> files = new ArrayList<>();
        if (folder != null) {
            files.add(folder);
            for (DropIn.Found each : found(folder, new Notes())) {
                files.add(each.at());
                files.addAll(each.jars());
            }
        }
        return files.stream().distinct().toList();
    }

    /** What is different from what was there before, a line each. */
    public List<String> changesFrom(DropIns before) {
        Map<String, DropIn> gone = new LinkedHashMap<>();
        before.all.forEach(each -> gone.put(each.place(), each));
        List<String> changes = new ArrayList<>();
        for (DropIn each : all) {
            DropIn there = gone.remove(each.place());
            if (there == null) {
                changes.add(change(each, "is new"));
            } else if (!there.isSame(each)) {
                changes.add(change(each, "has changed"));
            }
        }
        gone.values().forEach(each -> changes.add(change(each, "is gone")));
        return changes;
    }

    private static String change(DropIn of, String what) {
        return "plugins of " + of.place() + " (" + String.join(", ", of.names()) + "): the jar " + what;
    }
}
