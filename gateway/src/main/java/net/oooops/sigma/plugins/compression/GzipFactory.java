package net.oooops.sigma.plugins.compression;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.plugins.compression.coding.Coding;

/** Makes {@code gzip}: {@code compression} with that coding alone, by the settings that Sigma had for it before. */
public final class GzipFactory implements PluginFactory {
    private static final int LEVEL_DEFAULT = 6;
    private static final int WINDOW_BITS = 15;
    private static final int MEM_LEVEL = 8;

    private static final String SCHEMA = """
            {
              "title": "gzip",
              "description": "Compresses answers with gzip for clients that accept it. All else is as with `compression`, which knows `br` and `zstd`, too.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "compression-level": {
                  "title": "compression-level",
                  "description": "How hard it tries: 1 is fast, 9 is small.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 9,
                  "default": 6
                },
                "window-bits": {
                  "title": "window-bits",
                  "description": "The window's size as a power of 2, of zlib's 9 to 15. Only 15 can be had.",
                  "type": "integer",
                  "minimum": 9,
                  "maximum": 15,
                  "default": 15
                },
                "mem-level": {
                  "title": "mem-level",
                  "description": "How much memory zlib takes, of 1 to 9. Only 8 can be had.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 9,
                  "default": 8
                },
                "content-types": {
                  "title": "content-types",
                  "description": "Which media types are compressed, as with `compression`.",
                  "type": "array",
                  "items": { "type": "string" },
                  "default": "@types"
                },
                "min-length": {
                  "title": "min-length",
                  "description": "Answers whose length is known and less, in bytes, are left alone.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 1073741824,
                  "default": 256
                },
                "max-bodies": {
                  "title": "max-bodies",
                  "description": "How many answers are compressed at once; further ones go as they are. One holds up to 0.3 MiB.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000,
                  "default": 1000
                }
              },
              "examples": [{}, { "compression-level": 4, "min-length": 1024 }]
            }
            """;

    @Override
    public String name() {
        return "gzip";
    }

    @Override
    public String schema() {
        return SCHEMA.replace("\"@types\"", CompressionFactory.typesJson());
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        only(settings.get("window-bits"), WINDOW_BITS);
        only(settings.get("mem-level"), MEM_LEVEL);
        int level = (int) CodingSettings.within(
                settings.get("compression-level"), Coding.GZIP.levelMin(), Coding.GZIP.levelMax(), LEVEL_DEFAULT);
        int bodiesMax = (int) CodingSettings.within(
                settings.get("max-bodies"), 1, CompressionFactory.BODIES_MOST, CompressionFactory.BODIES_DEFAULT);
        return new Compression(
                List.of(new Packing(Coding.GZIP, level, new AtomicInteger(), bodiesMax)),
                ContentTypes.of(settings.get("content-types")),
                CodingSettings.within(
                        settings.get("min-length"),
                        0,
                        CompressionFactory.LENGTH_MIN_MOST,
                        CompressionFactory.LENGTH_MIN_DEFAULT));
    }

    private static void only(Settings setting, int value) {
        if (setting.integer(value) != value) {
            throw setting.unexpected(value + ": the JDK's gzip has no other, so leave it out");
        }
    }
}
