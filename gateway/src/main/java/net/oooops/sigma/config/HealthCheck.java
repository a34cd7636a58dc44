package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.config.ActiveCheckConfig.Statuses;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** What an upstream says of checking its nodes goes together, and with what they speak. */
final class HealthCheck {
    private static final List<String> KINDS = List.of("http", "tcp", "bolt");

    private final Problems problems;

    HealthCheck(Problems problems) {
        this.problems = problems;
    }

    void check(Json upstream) {
        Json health = upstream.get("health");
        Json active = health == null ? null : health.get("active");
        if (active == null) {
            return;
        }
        kind(active, ProtocolCheck.protocol(upstream));
        times(active);
        Json http = active.get("http");
        if (http != null) {
            http(http);
        }
        Json tcp = active.get("tcp");
        if (tcp != null) {
            either(tcp.get("send"), tcp.get("send-hex"));
            either(tcp.get("expect"), tcp.get("expect-hex"));
        }
    }

    private void kind(Json active, Protocol protocol) {
        List<Json> kinds = new ArrayList<>();
        for (String kind : KINDS) {
            Json written = active.get(kind);
            if (written != null) {
                kinds.add(written);
            }
        }
        if (kinds.size() > 1) {
            Json second = kinds.get(1);
            problems.key(
                    second,
                    Json.quoted(second.step()) + " beside "
                            + Json.quoted(kinds.getFirst().step()),
                    "one of them",
                    null);
            return;
        }
        String nodes = protocol.name().toLowerCase(Locale.ROOT) + "://";
        if (kinds.isEmpty() && protocol == Protocol.UDP) {
            problems.value(
                    active,
                    "no kind",
                    "\"http\" or \"tcp\", and \"port\"; " + nodes + " nodes have no check of their own",
                    null);
        } else if (!kinds.isEmpty() && active.get("port") == null) {
            Protocol asked = HealthBuilder.asked(active, protocol);
            boolean fits = asked == protocol || (asked == Protocol.TCP && protocol != Protocol.UDP);
            if (!fits) {
                Json kind = kinds.getFirst();
                problems.key(
                        kind,
                        Json.quoted(kind.step()),
                        "\"port\" beside it, where that is spoken; these are " + nodes + " nodes",
                        null);
            }
        }
    }

    private void times(Json active) {
        Json timeout = active.get("timeout");
        Json interval = active.get("interval");
        if ((timeout != null && (!timeout.isText() || problems.has(timeout)))
                || (interval != null && (!interval.isText() || problems.has(interval)))) {
            return;
        }
        long timeoutNanos = SectionBuilder.nanos(active, "timeout", HealthBuilder.TIMEOUT_NANOS_DEFAULT);
        if (timeoutNanos <= SectionBuilder.nanos(active, "interval", HealthBuilder.INTERVAL_NANOS_DEFAULT)) {
            return;
        }
        if (timeout != null) {
            problems.value(timeout, "<= " + (interval == null ? "5s" : interval.text()) + ", which \"interval\" is");
        } else if (interval != null) {
            problems.value(interval, ">= 1s, which \"timeout\" is");
        }
    }

    private void http(Json http) {
        Json method = http.get("method");
        Json text = http.get("text");
        problems.text(method, TextSyntax.PROBE_METHOD);
        if (text != null && http.text("method", "").equals("HEAD")) {
            problems.key(text, "\"text\"", "no such key with \"method\": \"HEAD\", whose answers have no body", null);
        }
        for (Json status : http.itemsOf("status")) {
            if (status.isText() && !problems.has(status)) {
                Statuses range = HealthBuilder.statuses(status.text());
                if (range.from() > range.to()) {
                    problems.value(
                            status,
                            status.shown(),
                            "a range from the lesser to the greater",
                            range.to() + "-" + range.from());
                }
            }
        }
    }

    private void either(@Nullable Json text, @Nullable Json hex) {
        if (text != null && hex != null) {
            problems.key(hex, Json.quoted(hex.step()) + " beside " + Json.quoted(text.step()), "one of them", null);
        }
    }
}
