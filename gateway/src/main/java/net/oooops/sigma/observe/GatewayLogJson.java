package net.oooops.sigma.observe;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import org.jspecify.annotations.Nullable;

/**
 * An event of the gateway's own log as one line of JSON (RFC 8259), in UTF-8, for programs. All members are always there; {@code exception} is
 * a stack trace, or null. {@link HiddenTexts} aren't in it. Safe for use from any thread.
 *
 * <pre>{@code
 * {"time":"2000-10-10T20:55:36.123Z","level":"WARN","logger":"net.oooops.sigma.runtime.Worker","thread":"main","message":"gone","exception":null}
 * }</pre>
 */
final class GatewayLogJson extends GatewayLogForm {
    private static final String HEX = "0123456789abcdef";
    private static final char DELETE = 0x7F;
    /** Line ends to some readers. */
    private static final char LINE_SEPARATOR = 0x2028;

    private static final char PARAGRAPH_SEPARATOR = 0x2029;

    @Override
    String text(ILoggingEvent event) {
        IThrowableProxy thrown = event.getThrowableProxy();
        StringBuilder text = new StringBuilder("{\"time\":\"").append(time(event));
        text.append("\",\"level\":\"").append(event.getLevel());
        append("\",\"logger\":", event.getLoggerName(), text);
        append(",\"thread\":", event.getThreadName(), text);
        append(",\"message\":", message(event), text);
        append(",\"exception\":", thrown == null ? null : trace(thrown), text);
        return text.append("}\n").toString();
    }

    private static void append(String before, @Nullable String value, StringBuilder text) {
        text.append(before);
        if (value == null) {
            text.append("null");
            return;
        }
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            append(value.charAt(i), text);
        }
        text.append('"');
    }

    private static void append(char c, StringBuilder text) {
        switch (c) {
            case '"', '\\' -> text.append('\\').append(c);
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            default -> appendUnnamed(c, text);
        }
    }

    private static void appendUnnamed(char c, StringBuilder text) {
        if (c >= ' ' && c != DELETE && c != LINE_SEPARATOR && c != PARAGRAPH_SEPARATOR) {
            text.append(c);
            return;
        }
        text.append("\\u");
        for (int bits = 12; bits >= 0; bits -= 4) {
            text.append(HEX.charAt(c >> bits & 0xF));
        }
    }
}
