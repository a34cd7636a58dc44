package net.oooops.sigma.plugins.staticresources;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Media types by the suffix of a file's name. */
final class MediaTypes {
    static final String UNKNOWN = "application/octet-stream";

    private static final Map<String, String> KNOWN = Map.ofEntries(
            Map.entry("html", "text/html; charset=utf-8"),
            Map.entry("htm", "text/html; charset=utf-8"),
            Map.entry("css", "text/css; charset=utf-8"),
            Map.entry("js", "text/javascript; charset=utf-8"),
            Map.entry("mjs", "text/javascript; charset=utf-8"),
            Map.entry("txt", "text/plain; charset=utf-8"),
            Map.entry("log", "text/plain; charset=utf-8"),
            Map.entry("md", "text/markdown; charset=utf-8"),
            Map.entry("csv", "text/csv; charset=utf-8"),
            Map.entry("ics", "text/calendar; charset=utf-8"),
            Map.entry("vtt", "text/vtt; charset=utf-8"),
            Map.entry("xml", "text/xml; charset=utf-8"),
            Map.entry("json", "application/json"),
            Map.entry("map", "application/json"),
            Map.entry("jsonld", "application/ld+json"),
            Map.entry("webmanifest", "application/manifest+json"),
            Map.entry("rss", "application/rss+xml"),
            Map.entry("atom", "application/atom+xml"),
            Map.entry("xhtml", "application/xhtml+xml"),
            Map.entry("wasm", "application/wasm"),
            Map.entry("pdf", "application/pdf"),
            Map.entry("zip", "application/zip"),
            Map.entry("gz", "application/gzip"),
            Map.entry("tar", "application/x-tar"),
            Map.entry("7z", "application/x-7z-compressed"),
            Map.entry("zst", "application/zstd"),
            Map.entry("jar", "application/java-archive"),
            Map.entry("rtf", "application/rtf"),
            Map.entry("epub", "application/epub+zip"),
            Map.entry("doc", "application/msword"),
            Map.entry("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            Map.entry("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            Map.entry("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
            Map.entry("png", "image/png"),
            Map.entry("jpg", "image/jpeg"),
            Map.entry("jpeg", "image/jpeg"),
            Map.entry("gif", "image/gif"),
            Map.entry("webp", "image/webp"),
            Map.entry("avif", "image/avif"),
            Map.entry("jxl", "image/jxl"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("ico", "image/vnd.microsoft.icon"),
            Map.entry("bmp", "image/bmp"),
            Map.entry("tif", "image/tiff"),
            Map.entry("tiff", "image/tiff"),
            Map.entry("woff", "font/woff"),
            Map.entry("woff2", "font/woff2"),
            Map.entry("ttf", "font/ttf"),
            Map.entry("otf", "font/otf"),
            Map.entry("mp3", "audio/mpeg"),
            Map.entry("m4a", "audio/mp4"),
            Map.entry("ogg", "audio/ogg"),
            Map.entry("opus", "audio/ogg"),
            Map.entry("wav", "audio/wav"),
            Map.entry("flac", "audio/flac"),
            Map.entry("mp4", "video/mp4"),
            Map.entry("m4v", "video/mp4"),
            Map.entry("webm", "video/webm"),
            Map.entry("mov", "video/quicktime"),
            Map.entry("ts", "video/mp2t"),
            Map.entry("m3u8", "application/vnd.apple.mpegurl"),
            Map.entry("mpd", "application/dash+xml"));

    private final Map<String, String> types;

    /** @param more suffixes without their dot, in lower case; they come before the known ones */
    MediaTypes(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(KNOWN);
        all.putAll(more);
        this.types = Map.copyOf(all);
    }

    /** The type of a file of that name. */
    String of(String name) {
        int dot = name.lastIndexOf('.');
        String suffix = dot <= name.lastIndexOf('/') ? "" : name.substring(dot + 1);
        return types.getOrDefault(suffix.toLowerCase(Locale.ROOT), UNKNOWN);
    }
}
