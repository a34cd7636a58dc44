package net.oooops.sigma.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads {@code plugins.error-pages}, with the files that they name. */
final class PageReader {

    /** The longest file of an error page. */
    static final int PAGE_BYTES_MAX = 1 << 20;

    private final Set<Path> files;
    private final Problems problems;

    /** @param files gets what is read */
    PageReader(Set<Path> files, Problems problems) {
        this.files = files;
        this.problems = problems;
    }

    /** The pages by status, as far as there is no problem with them. */
    Map<Integer, ErrorPage> read(Json root) {
        Json plugins = root.get("plugins");
        Json written = plugins == null ? null : plugins.get("error-pages");
        Map<Integer, ErrorPage> pages = new TreeMap<>();
        if (written == null) {
            return pages;
        }
        for (Json page : written.members().values()) {
            Json type = page.get("content-type");
            if (problems.has(page) || type == null || !type.isText()) {
                continue;
            }
            problems.text(type, TextSyntax.CONTENT_TYPE);
            Json file = page.get("file");
            String body = file == null ? page.text("body", "") : text(file);
            if (body != null) {
                pages.put(Integer.parseInt(page.step()), new ErrorPage(type.text(), body));
            }
        }
        return pages;
    }

    private @Nullable String text(Json file) {
        if (!file.isText() || problems.has(file)) {
            return null;
        }
        try {
            Path path = file.path();
            if (!Files.isRegularFile(path) && Files.exists(path)) {
                problems.value(file, file.shown() + ", which is no file", "a file", null);
                return null;
            }
            files.add(path);
            return text(file, path);
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

    private @Nullable String text(Json file, Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(PAGE_BYTES_MAX + 1);
            if (bytes.length > PAGE_BYTES_MAX) {
                problems.value(file, file.shown() + ", which is longer", "a file of at most 1 MiB", null);
                return null;
            }
            return Utf8.decode(bytes, 0);
        }
    }
}
