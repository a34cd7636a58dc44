package net.oooops.sigma.observe;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;

/** How events of the gateway's own log are written: one after the other, with nothing before the first and behind the last. */
abstract class GatewayLogForm extends EncoderBase<ILoggingEvent> {
    private static final byte[] NONE = new byte[0];
    private static final int TIME_BYTES_MAX = 32;

    @Override
    public final byte[] headerBytes() {
        return NONE;
    }

    @Override
    public final byte[] footerBytes() {
        return NONE;
    }

    @Override
    public final byte[] encode(ILoggingEvent event) {
        return text(event).getBytes(StandardCharsets.UTF_8);
    }

    /** The event, and the end of its line. */
    abstract String text(ILoggingEvent event);

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
}
