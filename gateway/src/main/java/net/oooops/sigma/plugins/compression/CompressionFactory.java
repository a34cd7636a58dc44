package net.oooops.sigma.plugins.compression;

import java.util.List;
import java.util.function.Supplier;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.plugins.compression.coding.Coder;
import net.oooops.sigma.plugins.compression.coding.Coding;
import net.oooops.sigma.plugins.compression.coding.Gzip;

/** Makes {@code compression}. */
public final class CompressionFactory implements PluginFactory {
    private static final List<Coding> CODINGS = List.of(Coding.ZSTD, Coding.BR, Coding.GZIP);
    private static final int LEVEL_DEFAULT = 4;
    private static final int ZSTD_LEVEL_DEFAULT = 3;
    static final int BODIES_DEFAULT = 1000;

    private static final String SCHEMA = """
            {
              "title": "compression",
              "description": "Compresses answers for clients that accept it (`Accept-Encoding`). Left alone are answers that are compressed already, parts of one (206), those to which `Cache-Control: no-transform` stands in request or answer, and those without a body. An answer that might be compressed gets `Vary: Accept-Encoding`; where it is, a strong ETag becomes a weak one. Streams are sent on as they come. Don't compress what has secrets beside text that a client chose (BREACH).",
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
                "encodings": {
                  "title": "encodings",
                  "description": "Which codings there are, the best first: among those that a client likes equally the first is taken. `br` and `zstd` need a native library, which comes with Sigma for Linux and macOS on x86_64 and aarch64.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 3,
                  "items": { "enum": ["zstd", "br", "gzip"] },
                  "default": ["zstd", "br", "gzip"]
                },
                "gzip-level": {
                  "title": "gzip-level",
                  "description": "How hard gzip tries: 1 is fast, 9 is small.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 9,
                  "default": 4
                },
                "br-level": {
                  "title": "br-level",
                  "description": "How hard br tries: 0 is fast, 9 is small. 10 and 11 are for files that are compressed once.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 9,
                  "default": 4
                },
                "zstd-level": {
                  "title": "zstd-level",
                  "description": "How hard zstd tries: 1 is fast, 12 is small.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 12,
                  "default": 3
                },
                "content-types": {
                  "title": "content-types",
                  "description": "Which media types are compressed: a type, or with `*` in the place of what is behind the slash, or of its beginning (`application/*+json`). Types of gRPC never are.",
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
                  "description": "How many answers are compressed at once, over all places that name the plugin; further ones go as they are. Where places say different numbers, each compresses one more as long as fewer than its own are being compressed. One holds up to 0.3 MiB with gzip, some 2 MiB with zstd and br.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000,
                  "default": 1000
                }
              },
              "examples": [{}, { "encodings": ["br", "gzip"], "br-level": 5, "content-types": ["text/*", "application/json"], "min-length": 1024 }]
            }
            """;

    /** How many answers are being packed, of all plugins that were made here. */
    private final PackedCount.OfAll bodies = new PackedCount.OfAll();

    /** The default list of media types as JSON. */
    static String typesJson() {
        return "[\"" + String.join("\", \"", ContentTypes.DEFAULT) + "\"]";
    }

    @Override
    public String name() {
        return "compression";
    }

    @Override
    public String schema() {
        return SCHEMA.replace("\"@types\"", typesJson());
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        int bodiesMax = CodingSettings.bodiesMax(settings, BODIES_DEFAULT);
        PackedCount counted = PackedCount.of(bodies, bodiesMax, context);
        return new Compression(
                CodingSettings.codings(settings.get("encodings"), CODINGS).stream()
                        .map(coding -> new Packing(coding, packers(settings, coding), counted))
                        .toList(),
                ContentTypes.of(settings.get("content-types")),
                CodingSettings.lengthMin(settings));
    }

    private static Supplier<Coder> packers(Settings settings, Coding coding) {
        int level = level(settings, coding);
        if (coding == Coding.GZIP) {
            // Loads what packs it now, and not with the first answer.
            String _ = Gzip.whyNotSystem();
        }
        return () -> coding.packer(level);
    }

    private static int level(Settings settings, Coding coding) {
        return (int) CodingSettings.within(
                settings.get(coding.token() + "-level"),
                coding.levelMin(),
                coding.levelMax(),
                coding == Coding.ZSTD ? ZSTD_LEVEL_DEFAULT : LEVEL_DEFAULT);
    }
}
