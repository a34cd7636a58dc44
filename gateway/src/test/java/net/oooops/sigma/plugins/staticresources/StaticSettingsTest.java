package net.oooops.sigma.plugins.staticresources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings that can't be used are named, and so is what was expected. */
class StaticSettingsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private void refused(String key, Object value, String pointer, String expected) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("root", folder.toString());
        settings.put(key, value);
        assertThatThrownBy(() -> PluginHarness.of(new StaticResourcesFactory(), settings))
                .isInstanceOfSatisfying(SettingsException.class, e -> {
                    assertThat(e.pointer()).isEqualTo(pointer);
                    assertThat(e.expected()).contains(expected);
                });
    }

    @Test
    void areRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        refused("root", folder.resolve("none").toString(), "/root", "a folder");
        refused("root", file.toString(), "/root", "a folder");
        refused("root", "a\0b", "/root", "a folder");
        refused("root", "", "/root", "a folder");
        refused("strip-prefix", "static", "/strip-prefix", "the beginning of a path");
        refused("strip-prefix", "/static/", "/strip-prefix", "the beginning of a path");
        refused("strip-prefix", "/é", "/strip-prefix", "US-ASCII");
        refused("index", List.of("a/b"), "/index/0", "the name of a file");
        refused("index", List.of("a", ".."), "/index/1", "the name of a file");
        refused("fallback", "../x", "/fallback", "below \"root\"");
        refused("fallback", "/etc/passwd", "/fallback", "below \"root\"");
        refused("content-types", Map.of(".x", "text"), "/content-types/.x", "a media type");
        refused("content-types", Map.of(".x", "text/é"), "/content-types/.x", "a media type");
        refused("content-types", Map.of("tar.gz", "a/b"), "/content-types", "suffixes of one part");
        refused("cache-control", "a\r\nb: c", "/cache-control", "Cache-Control");
        refused("cache-control", Map.of(".js", "a\nb"), "/cache-control/.js", "Cache-Control");
        refused("precompressed", List.of("lzma"), "/precompressed/0", "br, zstd or gzip");
        refused("ranges", 0, "/ranges", "1 to 1000");
        refused("threads", 65, "/threads", "1 to 64");
        refused("cache", Map.of("entries", -1), "/cache/entries", "0 to");
        refused("cache", Map.of("open-files", 1_000_001), "/cache/open-files", "0 to 1000000");
    }
}
