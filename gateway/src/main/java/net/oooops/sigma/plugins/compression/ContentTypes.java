package net.oooops.sigma.plugins.compression;

import java.util.List;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Which media types are worth to be packed: {@code text/html}, all of a kind as {@code text/*}, or all of a form as {@code application/*+json}. */
final class ContentTypes {
    /** What packs well and usually isn't packed already; beside each its schema has the same. */
    static final List<String> DEFAULT = List.of(
            "text/*",
            "application/json",
            "application/*+json",
            "application/javascript",
            "application/x-javascript",
            "application/xml",
            "application/*+xml",
            "application/x-ndjson",
            "application/yaml",
            "application/wasm",
            "application/rtf",
            "application/vnd.ms-fontobject",
            "font/ttf",
            "font/otf",
            "font/collection",
            "image/svg+xml",
            "image/bmp",
            "image/x-icon",
            "image/vnd.microsoft.icon");

    /** Frames of gRPC have a compression of their own, and their clients know no other. */
    private static final String GRPC = "application/grpc";

    /** Begins with the one, ends with the other, and is at least as long as both; exact where the second is null. */
    private record Pattern(String start, @Nullable String end) {
        boolean matches(String value, int length) {
            if (end == null) {
                return length == start.length() && value.regionMatches(true, 0, start, 0, length);
            }
            return length >= start.length() + end.length()
                    && value.regionMatches(true, 0, start, 0, start.length())
                    && value.regionMatches(true, length - end.length(), end, 0, end.length());
        }
    }

    private final Pattern[] patterns;

    private ContentTypes(List<Pattern> patterns) {
        this.patterns = patterns.toArray(Pattern[]::new);
    }

    /** Those of a list, or the usual ones where there is none. */
    static ContentTypes of(Settings list) {
        if (!list.isPresent()) {
            return new ContentTypes(DEFAULT.stream().map(ContentTypes::pattern).toList());
        }
        return new ContentTypes(list.elements().stream()
                .map(element -> {
                    if (!isPattern(element.string())) {
                        throw element.unexpected(
                                "a media type such as text/html, or with * for a part of it: text/*, application/*+json");
                    }
                    return pattern(element.string());
                })
                .toList());
    }

    private static boolean isPattern(String text) {
        int slash = text.indexOf('/');
        int star = text.indexOf('*');
        boolean oneStar = star < 0 || (star == slash + 1 && text.indexOf('*', star + 1) < 0);
        return slash > 0
                && oneStar
                && FieldName.isToken(text.substring(0, slash))
                && FieldName.isToken(text.substring(slash + 1));
    }

    private static Pattern pattern(String text) {
        int star = text.indexOf('*');
        return star < 0 ? new Pattern(text, null) : new Pattern(text.substring(0, star), text.substring(star + 1));
    }

    /** Whether one of them is what this Content-Type names, parameters left out. Allocates nothing. */
    boolean matches(@Nullable String contentType) {
        if (contentType == null || contentType.regionMatches(true, 0, GRPC, 0, GRPC.length())) {
            return false;
        }
        int semicolon = contentType.indexOf(';');
        int length = semicolon < 0 ? contentType.length() : semicolon;
        while (length > 0 && isSpace(contentType.charAt(length - 1))) {
            length--;
        }
        for (Pattern pattern : patterns) {
            if (pattern.matches(contentType, length)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }
}
