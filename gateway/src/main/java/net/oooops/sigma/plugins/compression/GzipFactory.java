package net.oooops.sigma.plugins.compression;

import java.util.List;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.plugins.compression.coding.Coding;
import net.oooops.sigma.plugins.compression.coding.DeflateParameters;
import net.oooops.sigma.plugins.compression.coding.Gzip;
import org.jspecify.annotations.Nullable;

/** Makes {@code gzip}: {@code compression} with that coding alone, by the settings that Sigma had for it before. */
public final class GzipFactory implements PluginFactory {
    private static final int LEVEL_DEFAULT = 6;

    private static final String SCHEMA = """
            {
              "title": "gzip",
              "description": "Compresses answers with gzip for clients that accept it. All else is as with `compression`, which knows `br` and `zstd`, too.",
              "x-role": "sees-requests",
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
                  "description": "How far back it looks for what it has seen before, as a power of 2: 9 is 512 bytes, 15 is 32 KiB. Another one than 15 needs the system's zlib.",
                  "type": "integer",
                  "minimum": 9,
                  "maximum": 15,
                  "default": 15
                },
                "mem-level": {
                  "title": "mem-level",
                  "description": "How much memory it takes to find what it has seen before: 1 is little and slow, 9 is much and fast. Another one than 8 needs the system's zlib.",
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
                  "description": "How many answers are compressed at once, over all places that name the plugin; further ones go as they are. Where places say different numbers, each compresses one more as long as fewer than its own are being compressed. One holds up to 0.4 MiB.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000,
                  "default": 1000
                }
              },
              "examples": [{}, { "compression-level": 4, "min-length": 1024 }]
            }
            """;

    /** How many answers are being packed, of all plugins that were made here. */
    private final PackedCount.OfAll bodies = new PackedCount.OfAll();

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
        DeflateParameters parameters = parameters(settings, Gzip.whyNotSystem());
        int bodiesMax = CodingSettings.bodiesMax(settings, CompressionFactory.BODIES_DEFAULT);
        return new Compression(
                List.of(new Packing(
                        Coding.GZIP, () -> Gzip.packer(parameters), PackedCount.of(bodies, bodiesMax, context))),
                ContentTypes.of(settings.get("content-types")),
                CodingSettings.lengthMin(settings));
    }

    /** @param whyNotSystem why the JDK's zlib is all that there is; null where it isn't */
    static DeflateParameters parameters(Settings settings, @Nullable String whyNotSystem) {
        int level = (int) CodingSettings.within(
                settings.get("compression-level"), Coding.GZIP.levelMin(), Coding.GZIP.levelMax(), LEVEL_DEFAULT);
        Settings windowBits = settings.get("window-bits");
        Settings memLevel = settings.get("mem-level");
        if (whyNotSystem != null) {
            only(windowBits, DeflateParameters.WINDOW_BITS, whyNotSystem);
            only(memLevel, DeflateParameters.MEM_LEVEL, whyNotSystem);
        }
        return new DeflateParameters(
                level,
                (int) CodingSettings.within(
                        windowBits,
                        DeflateParameters.WINDOW_BITS_MIN,
                        DeflateParameters.WINDOW_BITS,
                        DeflateParameters.WINDOW_BITS),
                (int) CodingSettings.within(memLevel, 1, DeflateParameters.MEM_LEVEL_MAX, DeflateParameters.MEM_LEVEL));
    }

    private static void only(Settings setting, int value, String whyNotSystem) {
        if (setting.integer(value) != value) {
            throw setting.unexpected(
                    value + ", so leave it out: the system's zlib can't be used on this machine: " + whyNotSystem);
        }
    }
}
