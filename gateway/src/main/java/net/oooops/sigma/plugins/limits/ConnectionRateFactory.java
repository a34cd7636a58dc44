package net.oooops.sigma.plugins.limits;

import java.time.Duration;
import java.util.List;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;

/** Makes {@code connection-rate}. */
public final class ConnectionRateFactory implements PluginFactory {
    private static final int ADDRESSES_DEFAULT = 65_536;

    private static final String SCHEMA = """
            {
              "title": "connection-rate",
              "description": "For sessions: how often a client may connect, by its address, which is that of the PROXY protocol header where there is one; IPv6 addresses with the same first 64 bits are one client. Each client has a bucket of `burst` tokens, and gets `connections` new ones in each `per`, evenly; a connection takes one, and so does a session of UDP. Where there is none, it is reset, or the datagram dropped. Counted over all Workers.",
              "type": "object",
              "additionalProperties": false,
              "required": ["connections"],
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "connections": {
                  "title": "connections",
                  "description": "How many connections a client may make in each `per`, in the long run.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000
                },
                "per": {
                  "title": "per",
                  "description": "The time that `connections` is for.",
                  "type": "string",
                  "pattern": "^[1-9][0-9]{0,5}(ms|s|m|h)$",
                  "x-expected": "a duration such as \\"1s\\" or \\"1m\\"",
                  "default": "1s"
                },
                "burst": {
                  "title": "burst",
                  "description": "How many it may make at once. Left out: as many as `connections`.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000
                },
                "addresses": {
                  "title": "addresses",
                  "description": "How many clients are remembered at once. A client whose bucket is full again is forgotten. Beyond, new clients share one bucket, and the log says so.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000000,
                  "default": 65536
                }
              },
              "examples": [
                { "connections": 10, "burst": 50 },
                { "connections": 30, "per": "1m" }
              ]
            }
            """;

    @Override
    public String name() {
        return "connection-rate";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        long connections = settings.get("connections").integer(1);
        Duration per = settings.get("per").duration(Duration.ofSeconds(1));
        long burst = settings.get("burst").integer(connections);
        long addresses = settings.get("addresses").integer(ADDRESSES_DEFAULT);
        Rate rate = Rate.of("connections", connections, per, burst);
        if (!rate.isCountable()) {
            throw settings.get("burst").unexpected("fewer, for they take longer than a clock counts");
        }
        Buckets.Shared shared = new Buckets.Shared(
                name(),
                "addresses",
                context.counter(
                        "shared_takes",
                        "How often a client too many to be remembered asked the bucket that such share."));
        return new ConnectionRate(new Buckets(System::nanoTime, List.of(rate), Math.toIntExact(addresses), shared));
    }
}
