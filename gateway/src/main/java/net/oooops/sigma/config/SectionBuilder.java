package net.oooops.sigma.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes records of the sections that are plain lists of settings. */
final class SectionBuilder {

    private SectionBuilder() {}

    static ClientConfig client(Json section) {
        ClientConfig otherwise = ClientConfig.DEFAULT;
        return new ClientConfig(
                section.integer("max-pool-size-per-server", otherwise.maxPoolSizePerServer()),
                nanos(section, "connect-timeout", otherwise.connectTimeoutNanos()),
                nanos(section, "idle-timeout", otherwise.idleTimeoutNanos()),
                section.integer("max-wait-queue", otherwise.maxWaitQueue()),
                nanos(section, "wait-timeout", otherwise.waitTimeoutNanos()));
    }

    static Limits limits(Json section, Limits otherwise) {
        return new Limits(
                bytes(section, "request-line", otherwise.requestLineBytesMax()),
                bytes(section, "header-total", otherwise.headerBytesMax()),
                bytes(section, "header-field", otherwise.headerFieldBytesMax()),
                section.integer("header-count", otherwise.headerCountMax()),
                bytes(section, "response-header", otherwise.responseHeaderBytesMax()),
                section.integer("interim-responses", otherwise.interimResponseCountMax()),
                longBytes(section, "body", otherwise.bodyBytesMax()),
                bytes(section, "buffered-body", otherwise.bufferedBodyBytesMax()),
                bytes(section, "chunk-extension", otherwise.chunkExtensionBytesMax()),
                bytes(section, "trailer", otherwise.trailerBytesMax()),
                bytes(section, "pipeline", otherwise.pipelineBytesMax()),
                bytes(section, "write-buffer", otherwise.writeBufferBytesMax()),
                section.integer("connections", otherwise.connectionsMax()),
                section.integer("handshakes", otherwise.handshakesMax()),
                section.integer("requests-per-connection", otherwise.requestsPerConnectionMax()),
                section.integer("blocking-calls", otherwise.blockingCallsMax()),
                section.integer("passes", otherwise.passesMax()),
                http2(ConfigBuilder.section(section, "http2"), otherwise.http2()));
    }

    private static Http2Limits http2(Json section, Http2Limits otherwise) {
        return new Http2Limits(
                section.integer("streams", otherwise.streamsMax()),
                section.integer("total-streams", otherwise.streamsTotalMax()),
                section.integer("resets", otherwise.resetsMax()),
                section.integer("control-frames", otherwise.controlFramesMax()),
                section.integer("continuations", otherwise.continuationsMax()),
                bytes(section, "window", otherwise.windowBytesMax()));
    }

    static Timeouts timeouts(Json section, Timeouts otherwise) {
        return new Timeouts(
                nanos(section, "handshake", otherwise.handshakeNanos()),
                nanos(section, "header", otherwise.headerNanos()),
                nanos(section, "body-idle", otherwise.bodyIdleNanos()),
                longBytes(section, "body-min-rate", otherwise.bodyMinRateBytesPerSecond()),
                nanos(section, "body-min-rate-after", otherwise.bodyMinRateAfterNanos()),
                nanos(section, "body-discard", otherwise.bodyDiscardNanos()),
                nanos(section, "keep-alive", otherwise.keepAliveNanos()),
                nanos(section, "connection-lifetime", otherwise.connectionLifetimeNanos()),
                nanos(section, "send-stall", otherwise.sendStallNanos()),
                nanos(section, "linger", otherwise.lingerNanos()),
                nanos(section, "plugin", otherwise.pluginNanos()),
                nanos(section, "drain", otherwise.drainNanos()),
                nanos(section, "drain-idle", otherwise.drainIdleNanos()),
                nanos(section, "drain-upgrade", otherwise.drainUpgradeNanos()));
    }

    static RuntimeConfig runtime(Json section) {
        RuntimeConfig otherwise = RuntimeConfig.DEFAULT;
        return new RuntimeConfig(
                choice(section, "transport", otherwise.transport()),
                choice(section, "thread-model", otherwise.threadModel()),
                choice(section, "allocator", otherwise.allocator()),
                bytes(section, "receive-buffer", otherwise.receiveBufferBytes()),
                bytes(section, "send-buffer", otherwise.sendBufferBytes()),
                new RuntimeConfig.Memory(
                        bytes(section, "relay-memory", otherwise.memory().relayBytesMax()),
                        bytes(section, "call-memory", otherwise.memory().callBytesMax()),
                        bytes(section, "body-memory", otherwise.memory().bodyBytesMax()),
                        bytes(section, "head-memory", otherwise.memory().headBytesMax())),
                dns(ConfigBuilder.section(section, "dns")));
    }

    private static DnsConfig dns(Json section) {
        DnsConfig otherwise = DnsConfig.DEFAULT;
        return new DnsConfig(
                section.itemsOf("servers").stream()
                        .map(server -> DnsConfig.Server.parse(server.text()))
                        .toList(),
                nanos(section, "timeout", otherwise.timeoutNanos()),
                DnsCheck.seconds(section.get("min-ttl"), otherwise.ttlSecondsMin()),
                DnsCheck.seconds(section.get("max-ttl"), otherwise.ttlSecondsMax()));
    }

    static @Nullable AdminConfig admin(@Nullable Json section) {
        if (section == null) {
            return null;
        }
        List<String> ready =
                section.itemsOf("ready-upstreams").stream().map(Json::text).toList();
        return new AdminConfig(
                section.text("host", AdminConfig.HOST_DEFAULT),
                section.integer("port", AdminConfig.PORT_DEFAULT),
                ready);
    }

    static @Nullable AccessLogConfig accessLog(@Nullable Json section) {
        AccessLogConfig otherwise = AccessLogConfig.DEFAULT;
        if (section == null || !section.flag("enable", true)) {
            return null;
        }
        if (section.kind() == Json.Kind.BOOLEAN) {
            return section.isTrue() ? otherwise : null;
        }
        Json format = section.get("format");
        Json written = section.get("file");
        String file = written == null ? otherwise.file() : written.text();
        return new AccessLogConfig(
                format == null ? otherwise.format() : logFormat(format.text()),
                written == null || file.equals(AccessLogConfig.STDOUT)
                        ? file
                        : written.path().toString(),
                section.integer("queue", otherwise.queueLinesMax()));
    }

    /** @throws net.oooops.sigma.api.UnfitException where it is neither a name nor a template */
    static AccessLogConfig.Format logFormat(String text) {
        return switch (text) {
            case "combined" -> AccessLogConfig.Format.COMBINED;
            case "json" -> AccessLogConfig.Format.JSON;
            default -> LogTemplate.parse(text);
        };
    }

    static long nanos(Json section, String key, long otherwise) {
        Json value = section.get(key);
        return value == null ? otherwise : Units.durationNanos(value.text());
    }

    private static long longBytes(Json section, String key, long otherwise) {
        Json value = section.get(key);
        return value == null ? otherwise : Units.sizeBytes(value.text());
    }

    static int bytes(Json section, String key, int otherwise) {
        return Math.toIntExact(longBytes(section, key, otherwise));
    }

    private static <E extends Enum<E>> E choice(Json section, String key, E otherwise) {
        Json value = section.get(key);
        return value == null ? otherwise : ConfigBuilder.choice(otherwise.getDeclaringClass(), value.text());
    }
}
