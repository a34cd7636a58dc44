package net.oooops.sigma.config;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads {@code plugins.error-pages}, with the files that they name; and those of the plugins of that name. */
final class PageReader {

    private static final String NAME = "error-pages";
    private static final String FILE = "file";
    private static final String BODY = "body";

    /** The longest file of an error page. */
    static final int PAGE_BYTES_MAX = 1 << 20;

    private static final NamedFile PAGE = new NamedFile(PAGE_BYTES_MAX, "1 MiB");

    private final NamedFile.Reading files;
    private final Problems problems;

    PageReader(NamedFile.Reading files) {
        this.files = files;
        this.problems = files.problems();
    }

    /** The pages by status, as far as there is no problem with them. */
    Map<Integer, ErrorPage> read(Json root) {
        Json plugins = root.get("plugins");
        Json written = plugins == null ? null : plugins.get(NAME);
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
            Json file = page.get(FILE);
            String body = file == null ? page.text(BODY, "") : text(file);
            if (body != null) {
                pages.put(Integer.parseInt(page.step()), new ErrorPage(type.text(), body));
            }
        }
        return pages;
    }

    /** Puts the texts of the files in their place, {@code body}, wherever a plugin's settings name some: so they see no files. */
    void fillIn(Json root) {
        IdCheck.servers(root).forEach(this::fillInOf);
        for (Json router : root.itemsOf("router")) {
            fillInOf(router);
            RoutesJson.unknown(router).forEach(this::fillInOf);
        }
        root.itemsOf("proxy-pass").forEach(this::fillInOf);
    }

    private void fillInOf(Json holder) {
        Json written = ConfigBuilder.section(holder, "plugin").get(NAME);
        if (written == null || problems.isWithin(written)) {
            return;
        }
        for (Json page : ConfigBuilder.section(written, "pages").members().values()) {
            problems.text(page.get("content-type"), TextSyntax.CONTENT_TYPE);
            Json file = page.get(FILE);
            String text = file == null ? null : text(file);
            if (file != null && text != null) {
                Json.Anchor anchor = new Json.Anchor(page, BODY, file.source(), file.line(), file.column());
                page.members().remove(FILE);
                page.members().put(BODY, new Json(anchor, Json.Kind.STRING, text, file.line(), file.column()));
            }
        }
    }

    private @Nullable String text(Json file) {
        if (!file.isText() || problems.has(file)) {
            return null;
        }
        return PAGE.read(file, files);
    }
}
