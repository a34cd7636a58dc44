package net.oooops.sigma.plugins.compression;

import java.util.List;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.plugins.compression.coding.Coding;

/** Makes {@code decompress-request}. */
public final class DecompressRequestFactory implements PluginFactory {
    private static final List<Coding> CODINGS = List.of(Coding.GZIP, Coding.DEFLATE, Coding.BR, Coding.ZSTD);
    private static final String SIZE_DEFAULT = "10MiB";
    private static final int RATIO_DEFAULT = 100;
    private static final int RATIO_MOST = 10_000_000;
    private static final int CODINGS_DEFAULT = 2;
    private static final int CODINGS_MOST = 8;
    private static final int BODIES_DEFAULT = 1_000;
    private static final String MEMORY_DEFAULT = "512MiB";
    /** One client has a quarter of what there is. */
    private static final int CLIENTS_WITH_ALL = 4;

    private static final String SCHEMA = """
            {
              "title": "decompress-request",
              "description": "Decompresses the bodies of requests (`Content-Encoding`) for nodes that can't. What goes on has no Content-Encoding, and is streamed. A body that is truncated or isn't what it says gets 400, one that becomes too large 413.",
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
                  "description": "Which codings are decompressed. `br` and `zstd` need a native library, which comes with Sigma for Linux and macOS on x86_64 and aarch64.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 4,
                  "items": { "enum": ["gzip", "deflate", "br", "zstd"] },
                  "default": ["gzip", "deflate", "br", "zstd"]
                },
                "max-size": {
                  "title": "max-size",
                  "description": "The most that a body may become; beyond: 413.",
                  "type": "string",
                  "pattern": "^[1-9][0-9]{0,8}(B|KiB|MiB|GiB)$",
                  "x-expected": "a size such as \\"512KiB\\" or \\"10MiB\\"",
                  "default": "10MiB"
                },
                "max-ratio": {
                  "title": "max-ratio",
                  "description": "How many times as large as what was received a body may become, looked at from 64 KiB on; beyond: 413.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000000,
                  "default": 100
                },
                "max-codings": {
                  "title": "max-codings",
                  "description": "How many codings may lie one within the other; beyond: 415.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 8,
                  "default": 2
                },
                "max-bodies": {
                  "title": "max-bodies",
                  "description": "How many bodies are decompressed at once, over all places that name the plugin; beyond: 503. Where places say different numbers, each lets one more in as long as there is room within its own. A body in several codings counts once for each, until it has passed.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000,
                  "default": 1000
                },
                "max-bodies-per-client": {
                  "title": "max-bodies-per-client",
                  "description": "How many of them may be of one client's address, or of one network of IPv6 (/64), over all places; beyond: 429. One client has the same part of `max-memory`. Where nothing is said: a quarter of `max-bodies`, rounded up.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000
                },
                "max-memory": {
                  "title": "max-memory",
                  "description": "How much memory the decoders of these bodies may come to hold, over all places; beyond: 503. A body counts with the most that it may want: 8 MiB with zstd, 4 MiB with br, 128 KiB with gzip or deflate. zstd or br with a larger window gets 413.",
                  "type": "string",
                  "pattern": "^[1-9][0-9]{0,8}(B|KiB|MiB|GiB)$",
                  "x-expected": "a size such as \\"512KiB\\" or \\"10MiB\\"",
                  "default": "512MiB"
                },
                "unknown": {
                  "title": "unknown",
                  "description": "What becomes of other codings: `refuse` answers 415 with `Accept-Encoding` (RFC 7694), `pass` lets the request go on as it is.",
                  "enum": ["refuse", "pass"],
                  "default": "refuse"
                }
              },
              "examples": [{}, { "encodings": ["gzip"], "max-size": "1MiB", "unknown": "pass" }]
            }
            """;

    /** What the bodies hold that are being unpacked, of all plugins that were made here. */
    private final Places.OfAll places = new Places.OfAll();

    @Override
    public String name() {
        return "decompress-request";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Unpacking.Bounds bounds = new Unpacking.Bounds(
                CodingSettings.size(settings.get("max-size"), SIZE_DEFAULT),
                (int) CodingSettings.within(settings.get("max-ratio"), 1, RATIO_MOST, RATIO_DEFAULT),
                new Unpacking.Refusals(context.reason("too-large"), context.reason("garbled")));
        int codingsMax = (int) CodingSettings.within(settings.get("max-codings"), 1, CODINGS_MOST, CODINGS_DEFAULT);
        String unknown = settings.get("unknown").string("refuse");
        if (!unknown.equals("refuse") && !unknown.equals("pass")) {
            throw settings.get("unknown").unexpected("refuse or pass");
        }
        return new DecompressRequest(
                CodingSettings.codings(settings.get("encodings"), CODINGS),
                bounds,
                new Places(
                        places,
                        load(settings),
                        context.gauge("bodies", "Requests' bodies that are being decompressed.")),
                new DecompressRequest.Unknown(codingsMax, unknown.equals("pass")),
                context);
    }

    private static Places.Load load(Settings settings) {
        int bodies = CodingSettings.bodiesMax(settings, BODIES_DEFAULT);
        long bytes = CodingSettings.size(settings.get("max-memory"), MEMORY_DEFAULT);
        int share = (bodies + CLIENTS_WITH_ALL - 1) / CLIENTS_WITH_ALL;
        int perClient = (int)
                CodingSettings.within(settings.get("max-bodies-per-client"), 1, CodingSettings.BODIES_MOST, share);
        long bytesPerClient = (long) ((double) bytes * Math.min(perClient, bodies) / bodies);
        return new Places.Load(new Places.Most(bodies, bytes), new Places.Most(perClient, bytesPerClient));
    }
}
