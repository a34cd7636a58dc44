package net.oooops.sigma.config;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.ask.FilePatience;
import org.jspecify.annotations.Nullable;

/**
 * Where the files of a configuration come from: from where they are, or, where an earlier configuration is read once more, from what was in them then.
 * Remembers what was in them. For one thread.
 */
final class ConfigTexts {
    private static final Path DEVICES = Path.of("/dev");

    /** By absolute path; null: the files themselves. */
    private final @Nullable Map<Path, byte[]> kept;

    private final FilePatience patience;

    private final List<ConfigText> read = new ArrayList<>();
    /** By absolute path. */
    private final Map<Path, IOException> unanswered = new HashMap<>();

    private CurrentTexts.Lack lack = CurrentTexts.Lack.NONE;

    /** Null where what is read isn't what the configuration comes to. */
    private final @Nullable KnownRoutes known;
    /** By the paths of the files that were read. */
    private final Map<Path, RouteTexts> routes = new HashMap<>();

    /**
     * @param kept what is read instead of the files; null: the files themselves
     * @param known the routes that were read before; null where nobody is to look at routes as a whole
     */
    ConfigTexts(@Nullable List<ConfigText> kept, @Nullable KnownRoutes known, FilePatience patience) {
        this.known = known;
        this.patience = patience;
        if (kept == null) {
            this.kept = null;
            return;
        }
        this.kept = new LinkedHashMap<>();
        for (ConfigText each : kept) {
            this.kept.put(absolute(each.path()), each.bytes());
        }
    }

    /** For how long the files of the configuration are waited for. */
    FilePatience patience() {
        return patience;
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    /**
     * What is in a file.
     *
     * @param bytesMax no more than one byte beyond is read
     */
    byte[] read(Path file, int bytesMax) throws IOException {
        Path path = absolute(file);
        byte[] bytes;
        if (kept == null) {
            bytes = answer(file, reading -> {
                if (!Files.isRegularFile(file) && (isEndless(file) || Files.isDirectory(file))) {
                    String found = Files.isDirectory(file) ? Unreadable.FOLDER : Unreadable.ENDLESS;
                    throw new FileSystemException(file.toString(), null, found);
                }
                return reading.bytes(file, bytesMax + 1);
            });
        } else {
            bytes = kept.get(path);
            if (bytes == null) {
                throw new NoSuchFileException(file.toString());
            }
        }
        read.add(new ConfigText(path, bytes));
        return bytes;
    }

    /** What a file says to that. One that hasn't answered isn't asked again. */
    private <T extends @Nullable Object> T answer(Path file, FileAnswers.Question<T> question) throws IOException {
        Path path = absolute(file);
        IOException before = unanswered.get(path);
        if (before != null) {
            throw before;
        }
        try {
            return patience.ask(file, question);
        } catch (FileAnswers.Unanswered e) {
            unanswered.put(path, e);
            lacks(CurrentTexts.Lack.UNANSWERED);
            throw e;
        } catch (NoSuchFileException e) {
            lacks(CurrentTexts.Lack.GONE);
            throw e;
        } catch (IOException e) {
            lacks(CurrentTexts.Lack.UNREADABLE);
            throw e;
        }
    }

    private void lacks(CurrentTexts.Lack now) {
        lack = now.compareTo(lack) > 0 ? now : lack;
    }

    /** The worst that kept one of the files from being read so far. */
    CurrentTexts.Lack lack() {
        return lack;
    }

    /** For the routes of a file that is read; null where nobody asks for them. */
    @Nullable RouteTexts routes(Path file) {
        return known == null ? null : routes.computeIfAbsent(absolute(file), known::of);
    }

    /** The routes that were read, for whoever reads the same files again. */
    KnownRoutes known(Problems warnings) {
        return KnownRoutes.of(read, routes, warnings);
    }

    /** Whether opening it might take for ever: what leads to no file, but those that a shell has open for us. */
    static boolean isEndless(Path file) {
        return Files.exists(file)
                && !Files.isRegularFile(file)
                && !Files.isDirectory(file)
                && !file.toAbsolutePath().startsWith(DEVICES);
    }

    /** What was no file was read: standard input. */
    void add(String name, byte[] bytes) {
        if (!name.isEmpty()) {
            read.add(new ConfigText(Path.of(name), bytes));
        }
    }

    boolean isFolder(Path path) {
        if (kept == null) {
            try {
                return answer(path, reading -> Files.isDirectory(path));
            } catch (IOException e) {
                // Whoever reads it is told.
                return false;
            }
        }
        Path folder = absolute(path);
        return !kept.containsKey(folder) && kept.keySet().stream().anyMatch(each -> folder.equals(each.getParent()));
    }

    /** Whether the folder of a file that was kept isn't there any more. */
    boolean isGone(Path folder) {
        try {
            return kept != null && answer(folder, reading -> !Files.isDirectory(folder));
        } catch (IOException e) {
            // Whoever reads in it is told.
            return false;
        }
    }

    /** The names of what is in a folder but folders, in their order. */
    Set<String> names(Path path) throws IOException {
        if (kept != null) {
            Set<String> names = new TreeSet<>();
            Path folder = absolute(path);
            kept.keySet().stream()
                    .filter(each -> folder.equals(each.getParent()))
                    .forEach(each -> names.add(String.valueOf(each.getFileName())));
            return names;
        }
        return answer(path, reading -> namesThere(path));
    }

    private static Set<String> namesThere(Path path) throws IOException {
        Set<String> names = new TreeSet<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(path)) {
            for (Path each : all) {
                if (!Files.isDirectory(each)) {
                    names.add(String.valueOf(each.getFileName()));
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    /** What a path leads to, through all links; null where that isn't there. */
    @Nullable Path real(Path path) {
        if (kept != null) {
            Path absolute = absolute(path);
            return kept.containsKey(absolute) ? absolute : null;
        }
        try {
            return answer(path, reading -> path.toRealPath());
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            return path.toAbsolutePath().normalize();
        }
    }

    /** What was read so far, in that order. */
    List<ConfigText> all() {
        return List.copyOf(read);
    }
}
