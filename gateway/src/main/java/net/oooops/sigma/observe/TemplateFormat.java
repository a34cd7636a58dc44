package net.oooops.sigma.observe;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.config.LogFact;
import net.oooops.sigma.config.LogTemplate;
import org.jspecify.annotations.Nullable;

/**
 * A line as sigma.json writes it: its texts as they are, in UTF-8, and between them facts, escaped as {@link CombinedFormat} does; {@code -}
 * where there is nothing to say. Where all of a line would be too long, the facts that come last are cut.
 */
@SuppressWarnings("EnumOrdinal") // Flags are looked up by ordinals within one run.
final class TemplateFormat extends LineFormat {
    /** What a number, a time, an address or a flag takes at most. */
    private static final int SHORT_BYTES_MAX = 48;
    /** What escaping makes of one byte at most. */
    private static final int GROWTH = 4;

    private static final byte[] HTTP = LineBytes.of("http");
    private static final byte[] HTTPS = LineBytes.of("https");

    private final byte[][] texts;
    private final LogFact[] facts;
    /** Of those that are fields of the request. */
    private final @Nullable FieldName[] fields;

    private final String[] parameters;
    /** Some of it is a part of the request line. */
    private final boolean splits;
    /** What facts may take of a line, beyond what each has. */
    private final int longBytesMax;

    private final RequestLine requestLine = new RequestLine();
    private final LogTime time = new LogTime(ZoneOffset.UTC);
    private final LogTime localTime;

    TemplateFormat(LogTemplate template, ZoneId zone) {
        List<LogTemplate.Part> parts = template.parts();
        this.texts = template.texts().stream()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        this.facts = parts.stream().map(LogTemplate.Part::fact).toArray(LogFact[]::new);
        this.parameters = parts.stream().map(LogTemplate.Part::parameter).toArray(String[]::new);
        this.fields = new FieldName[facts.length];
        boolean parted = false;
        int textBytes = 1;
        for (byte[] text : texts) {
            textBytes += text.length;
        }
        for (int i = 0; i < facts.length; i++) {
            fields[i] = facts[i] == LogFact.HEADER ? FieldName.of(parameters[i]) : null;
            parted |= isPartOfRequestLine(facts[i]);
        }
        this.splits = parted;
        this.longBytesMax = LINE_BYTES_MAX - textBytes - facts.length * SHORT_BYTES_MAX;
        this.localTime = new LogTime(zone);
    }

    private static boolean isPartOfRequestLine(LogFact fact) {
        return switch (fact) {
            case METHOD, TARGET, PATH, QUERY, PROTOCOL -> true;
            default -> false;
        };
    }

    @Override
    int write(AccessRecord ended, byte[] out) {
        if (splits) {
            requestLine.read(ended);
        }
        int left = longBytesMax;
        int at = LineBytes.put(texts[0], out, 0);
        for (int i = 0; i < facts.length; i++) {
            int end = put(i, ended, out, at, left / GROWTH);
            if (end == at) {
                out[end++] = '-';
            }
            left -= Math.max(0, end - at - SHORT_BYTES_MAX);
            at = LineBytes.put(texts[i + 1], out, end);
        }
        out[at++] = '\n';
        return at;
    }

    /**
     * Writes a fact.
     *
     * @param bytesMax of it before it is escaped, where it may be long
     * @return the position after it: {@code at} where there is nothing to say
     */
    private int put(int fact, AccessRecord ended, byte[] out, int at, int bytesMax) {
        return switch (facts[fact]) {
            case TIME -> time.putIso(ended.wallMillis(), out, at);
            case LOCAL_TIME -> localTime.putLocal(ended.wallMillis(), out, at);
            case STATUS -> Decimal.put(ended.status(), STATUS_DIGITS, out, at);
            case BYTES -> Decimal.put(ended.bodyBytesSent(), 1, out, at);
            case ATTEMPTS -> Decimal.put(ended.attempts(), 1, out, at);
            case DURATION_MS -> Decimal.putMillis(ended.durationNanos(), out, at);
            case NODE_TIME_MS -> putMillis(ended.nodeNanos(), out, at);
            case FLAG -> putFlag(ended, out, at);
            case SCHEME -> putScheme(ended, out, at);
            case PEER_ADDRESS -> IpAddress.write(ended.peerAddress(), out, at);
            case CLIENT_ADDRESS -> IpAddress.write(ended.clientAddress(), out, at);
            case HOST -> escaped(ended.copyHost(out, at, Math.min(HOST_BYTES_MAX, bytesMax)), out, at);
            case REQUEST_LINE ->
                escaped(ended.copyRequestLine(out, at, Math.min(REQUEST_LINE_BYTES_MAX, bytesMax)), out, at);
            case METHOD -> putPart(0, requestLine.methodEnd(), out, at, bytesMax);
            case TARGET -> putPart(requestLine.targetStart(), requestLine.targetEnd(), out, at, bytesMax);
            case PATH -> putPart(requestLine.targetStart(), requestLine.pathEnd(), out, at, bytesMax);
            case QUERY -> putPart(requestLine.pathEnd() + 1, requestLine.targetEnd(), out, at, bytesMax);
            case PROTOCOL -> putPart(requestLine.protocolStart(), requestLine.protocolEnd(), out, at, bytesMax);
            case HEADER -> putField(fields[fact], ended, out, at, bytesMax);
            case LISTENER -> putText(ended.listenerId(), out, at, bytesMax);
            case ROUTE -> putText(ended.routeId(), out, at, bytesMax);
            case ROUTER -> putText(ended.routerId(), out, at, bytesMax);
            case UPSTREAM -> putText(ended.upstreamId(), out, at, bytesMax);
            case NODE -> putText(ended.upstreamNode(), out, at, bytesMax);
            case CONSUMER -> putText(ended.consumerId(), out, at, bytesMax);
            case REQUEST_ID -> putText(ended.requestId(), out, at, bytesMax);
            case TLS_VERSION -> putText(ended.tlsVersion(), out, at, bytesMax);
            case TLS_HOST -> putText(ended.tlsHost(), out, at, bytesMax);
            case DETAIL -> putText(ended.detail(), out, at, bytesMax);
            case REASON -> putText(reason(ended), out, at, bytesMax);
            case METADATA -> putText(metadata(ended.metadata(), parameters[fact]), out, at, bytesMax);
        };
    }

    /** Escapes what was copied to {@code start}, if anything was. */
    private static int escaped(int copiedEnd, byte[] out, int start) {
        return copiedEnd == AccessRecord.ABSENT ? start : Escaping.NGINX.apply(out, start, copiedEnd);
    }

    private static int putField(@Nullable FieldName name, AccessRecord ended, byte[] out, int at, int bytesMax) {
        return name == null
                ? at
                : escaped(ended.copyField(name, out, at, Math.min(FIELD_BYTES_MAX, bytesMax)), out, at);
    }

    private int putPart(int from, int to, byte[] out, int at, int bytesMax) {
        int length = Math.min(to - from, bytesMax);
        if (length <= 0) {
            return at;
        }
        System.arraycopy(requestLine.bytes(), from, out, at, length);
        return Escaping.NGINX.apply(out, at, at + length);
    }

    private static int putText(@Nullable String text, byte[] out, int at, int bytesMax) {
        return text == null
                ? at
                : Escaping.NGINX.apply(out, at, LineBytes.putUtf8(text, ID_CHARS_MAX, out, at, bytesMax));
    }

    private static int putMillis(long nanos, byte[] out, int at) {
        return nanos < 0 ? at : Decimal.putMillis(nanos, out, at);
    }

    private static int putScheme(AccessRecord ended, byte[] out, int at) {
        return ended.isOfHttp() ? LineBytes.put(ended.tlsVersion() == null ? HTTP : HTTPS, out, at) : at;
    }

    private static int putFlag(AccessRecord ended, byte[] out, int at) {
        Fault fault = ended.fault();
        if (fault == null) {
            return ended.pluginReason() == null ? at : LineBytes.put(PLUGIN_FLAG, out, at);
        }
        return LineBytes.put(FLAGS[fault.ordinal()], out, at);
    }

    private static @Nullable String metadata(@Nullable Metadata metadata, String key) {
        return metadata == null ? null : metadata.text(key);
    }
}
