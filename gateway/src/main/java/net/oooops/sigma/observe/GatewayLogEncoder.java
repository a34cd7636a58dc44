package net.oooops.sigma.observe;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;

/**
 * An event of the gateway's own log as text, for people: time (UTC), level, the logger's last name, message; then the stack trace
 * where there is one. Control characters of a message are escaped, so that it stays one line. {@link HiddenTexts} aren't in it. Safe for use from any thread.
 *
 * <pre>{@code
 * 2000-10-10T20:55:36.123Z WARN  Worker: upstream u1 node 192.0.2.7:80: CONNECT_FAILED (Connection refused)
 * }</pre>
 */
final class GatewayLogEncoder extends EncoderBase<ILoggingEvent> {
    private static final byte[] NONE = new byte[0];
    private static final int TIME_BYTES_MAX = 32;
    private static final int LEVEL_CHARS = 5;
    private static final String HEX = "0123456789ABCDEF";

    @Override
    public byte[] headerBytes() {
        return NONE;
    }

    @Override
    public byte[] footerBytes() {
        return NONE;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        StringBuilder text = new StringBuilder();
        String level = event.getLevel().toString();
        String logger = event.getLoggerName();
        text.append(time(event))
                .append(' ')
                .append(level)
                .repeat(' ', LEVEL_CHARS - level.length() + 1)
                .append(logger, logger.lastIndexOf('.') + 1, logger.length())
                .append(": ");
        appendOneLine(message(event), text);
        text.append('\n');
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            text.append(trace(thrown));
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** When it was: UTC, to the millisecond. */
    static String time(ILoggingEvent event) {
        byte[] time = new byte[TIME_BYTES_MAX];
        int end = new LogTime(ZoneOffset.UTC).putIso(event.getTimeStamp(), time, 0);
        return new String(time, 0, end, StandardCharsets.US_ASCII);
    }

    /** What it says, without secrets, and without the line end of what was written for a terminal. */
    static String message(ILoggingEvent event) {
        return HiddenTexts.hide(String.valueOf(event.getFormattedMessage())).stripTrailing();
    }

    /** The stack trace, with those of its causes, without secrets. */
    static String trace(IThrowableProxy thrown) {
        return HiddenTexts.hide(ThrowableProxyUtil.asString(thrown));
    }

    private static void appendOneLine(String message, StringBuilder text) {
        for (int i = 0; i < message.length(); i++) {
            char c = message.charAt(i);
            if (c < ' ' || c == 0x7F) {
                text.append("\\x").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xF));
            } else {
                text.append(c);
            }
        }
    }
}
