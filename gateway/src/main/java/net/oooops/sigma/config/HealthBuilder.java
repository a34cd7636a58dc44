package net.oooops.sigma.config;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.config.ActiveCheckConfig.Bolt;
import net.oooops.sigma.config.ActiveCheckConfig.Http;
import net.oooops.sigma.config.ActiveCheckConfig.Question;
import net.oooops.sigma.config.ActiveCheckConfig.Rhythm;
import net.oooops.sigma.config.ActiveCheckConfig.Statuses;
import net.oooops.sigma.config.ActiveCheckConfig.Tcp;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** Makes records of {@code health} of an upstream. */
final class HealthBuilder {
    static final long TIMEOUT_NANOS_DEFAULT = Units.durationNanos("1s");
    static final long INTERVAL_NANOS_DEFAULT = Units.durationNanos("5s");
    private static final long UNHEALTHY_INTERVAL_NANOS_DEFAULT = Units.durationNanos("1s");
    private static final int JITTER_PERCENT_DEFAULT = 10;
    private static final int HEALTHY_COUNT_DEFAULT = 2;
    private static final int UNHEALTHY_COUNT_DEFAULT = 3;
    private static final String STATUSES_DEFAULT = "200-399";

    private HealthBuilder() {}

    static HealthConfig health(Json upstream) {
        Json health = ConfigBuilder.section(upstream, "health");
        Json active = health.get("active");
        return new HealthConfig(
                active == null ? null : active(active, ProtocolCheck.protocol(upstream)),
                HealBuilder.passive(ConfigBuilder.section(health, "passive")));
    }

    private static ActiveCheckConfig active(Json active, Protocol protocol) {
        return new ActiveCheckConfig(
                question(active, protocol),
                active.integer("port", 0),
                new Rhythm(
                        SectionBuilder.nanos(active, "interval", INTERVAL_NANOS_DEFAULT),
                        SectionBuilder.nanos(active, "unhealthy-interval", UNHEALTHY_INTERVAL_NANOS_DEFAULT),
                        SectionBuilder.nanos(active, "timeout", TIMEOUT_NANOS_DEFAULT),
                        active.integer("jitter", JITTER_PERCENT_DEFAULT)),
                active.integer("healthy", HEALTHY_COUNT_DEFAULT),
                active.integer("unhealthy", UNHEALTHY_COUNT_DEFAULT));
    }

    private static Question question(Json active, Protocol protocol) {
        return switch (asked(active, protocol)) {
            case HTTP -> http(ConfigBuilder.section(active, "http"));
            case BOLT -> new Bolt(ConfigBuilder.section(active, "bolt").integer("protocol", 1));
            case TCP, UDP -> tcp(ConfigBuilder.section(active, "tcp"));
        };
    }

    /** What a check speaks: what is written, or what the nodes do. */
    static Protocol asked(Json active, Protocol protocol) {
        for (Protocol each : List.of(Protocol.HTTP, Protocol.TCP, Protocol.BOLT)) {
            if (active.get(each.name().toLowerCase(Locale.ROOT)) != null) {
                return each;
            }
        }
        return protocol;
    }

    private static Http http(Json http) {
        List<Statuses> statuses = new ArrayList<>();
        for (Json status : http.itemsOf("status")) {
            statuses.add(
                    status.isText()
                            ? statuses(status.text())
                            : new Statuses(
                                    status.number().intValue(), status.number().intValue()));
        }
        if (statuses.isEmpty()) {
            statuses.add(statuses(STATUSES_DEFAULT));
        }
        return new Http(
                http.text("path", "/"), http.text("method", "GET"), text(http, "host"), statuses, text(http, "text"));
    }

    /** A range as {@code 200-299}. */
    static Statuses statuses(String range) {
        int dash = range.indexOf('-');
        return new Statuses(Integer.parseInt(range.substring(0, dash)), Integer.parseInt(range.substring(dash + 1)));
    }

    private static @Nullable String text(Json parent, String key) {
        Json text = parent.get(key);
        return text == null ? null : text.text();
    }

    private static Tcp tcp(Json tcp) {
        return new Tcp(hex(tcp, "send"), hex(tcp, "expect"));
    }

    private static String hex(Json tcp, String key) {
        byte[] text = tcp.text(key, "").getBytes(StandardCharsets.UTF_8);
        return tcp.text(key + "-hex", HexFormat.of().formatHex(text)).toLowerCase(Locale.ROOT);
    }
}
