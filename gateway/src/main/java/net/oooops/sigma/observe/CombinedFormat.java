package net.oooops.sigma.observe;

import java.time.ZoneId;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The combined format of Apache and nginx, in local time, escaped as nginx does, and one field more at its end: the response flag of
 * the {@link Fault}, or {@code -}.
 *
 * <pre>{@code
 * 192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 504 142 "-" "curl/8.5.0" UT
 * }</pre>
 */
@SuppressWarnings("EnumOrdinal") // Flags are looked up by ordinals within one run.
final class CombinedFormat extends LineFormat {
    private static final byte[] NO_IDENTITY = LineBytes.of(" - ");
    private static final byte[] NO_FLAG = LineBytes.of(" -\n");

    private final LogTime time;

    CombinedFormat(ZoneId zone) {
        this.time = new LogTime(zone);
    }

    @Override
    int write(AccessRecord ended, byte[] out) {
        int at = IpAddress.write(ended.clientAddress(), out, 0);
        if (at == 0) {
            out[at++] = '-';
        }
        at = putConsumer(ended.consumerId(), out, LineBytes.put(NO_IDENTITY, out, at));
        at = time.putCombined(ended.wallMillis(), out, at);
        out[at++] = ' ';
        out[at++] = '"';
        at = end(ended.copyRequestLine(out, at, REQUEST_LINE_BYTES_MAX), out, at);
        out[at++] = ' ';
        at = Decimal.put(ended.status(), STATUS_DIGITS, out, at);
        out[at++] = ' ';
        at = Decimal.put(ended.bodyBytesSent(), 1, out, at);
        out[at++] = ' ';
        out[at++] = '"';
        at = end(ended.copyField(REFERER, out, at, FIELD_BYTES_MAX), out, at);
        out[at++] = ' ';
        out[at++] = '"';
        at = end(ended.copyField(USER_AGENT, out, at, FIELD_BYTES_MAX), out, at);
        return putFlag(ended, out, at);
    }

    /** Escapes what was copied to {@code start}, or says that nothing was, and ends the quotes. */
    private static int end(int copiedEnd, byte[] out, int start) {
        int at;
        if (copiedEnd == AccessRecord.ABSENT) {
            at = start;
            out[at++] = '-';
        } else {
            at = Escaping.NGINX.apply(out, start, copiedEnd);
        }
        out[at++] = '"';
        return at;
    }

    /** Of characters that would end it there is none: a space is a plus sign, as in the query of a form. */
    private static int putConsumer(@Nullable String id, byte[] out, int start) {
        int at = start;
        if (id == null) {
            out[at++] = '-';
        } else {
            int length = Math.min(id.length(), ID_CHARS_MAX);
            for (int i = 0; i < length; i++) {
                char c = id.charAt(i);
                out[at++] = (byte) (c == ' ' || c == '\t' ? '+' : c);
            }
            at = Escaping.NGINX.apply(out, start, at);
        }
        out[at++] = ' ';
        return at;
    }

    private static int putFlag(AccessRecord ended, byte[] out, int start) {
        Fault fault = ended.fault();
        if (fault == null && ended.pluginReason() == null) {
            return LineBytes.put(NO_FLAG, out, start);
        }
        int at = start;
        out[at++] = ' ';
        at = LineBytes.put(fault == null ? PLUGIN_FLAG : FLAGS[fault.ordinal()], out, at);
        out[at++] = '\n';
        return at;
    }
}
