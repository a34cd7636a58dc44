package net.oooops.sigma.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads {@code plugins.error-pages}, with the files that they name. */
final class PageReader {

    /** The longest file of an error page. */
    static final int PAGE_BYTES_MAX = 1 << 20;

    private static final NamedFile PAGE = new NamedFile(PAGE_BYTES_MAX, "1 MiB");

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
        return PAGE.read(file, files, problems);
    }
}
