package net.oooops.sigma.observe;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;

/**
 * An event of the gateway's own log as text, for people: time (UTC), level, the logger's last name, message; then the stack trace
 * where there is one. Control characters of a message are escaped, so that it stays one line. {@link HiddenTexts} aren't in it. Safe for use from any thread.
 *
 * <pre>{@code
 * 2000-10-10T20:55:36.123Z WARN  Worker: upstream u1 node 192.0.2.7:80: CONNECT_FAILED (Connection refused)
 * }</pre>
 */
final class GatewayLogEncoder extends GatewayLogForm {
    private static final int LEVEL_CHARS = 5;
    private static final String HEX = "0123456789ABCDEF";

    @Override
    String text(ILoggingEvent event) {
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
        return text.toString();
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
