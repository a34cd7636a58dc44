package net.oooops.sigma.http2;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.Http2Limits;

/**
 * Tells clients that make a connection work for nothing from others: by streams that end before they are answered, whoever resets them
 * (rapid reset, CVE-2023-44487; made to reset, CVE-2025-8671), by frames that carry nothing, and by fields that have to be decoded though none of them is
 * taken any more.
 *
 * <p>Counts begin anew every {@value #SECONDS} seconds. What carries something earns frames that don't: a client that reads much has many
 * windows to open.
 */
final class FloodWatch {
    private static final int SECONDS = 30;
    private static final long SPAN_NANOS = TimeUnit.SECONDS.toNanos(SECONDS);
    /** What a request, or a part of a body either way, earns. */
    private static final int EARNED = 10;

    private static final int KIB_BITS = 10;

    private final int resetsMax;
    private final int controlFramesMax;
    private long sinceNanos;
    private int requests;
    private int resets;
    private int controlFramesLeft;

    FloodWatch(Http2Limits limits, long nowNanos) {
        this.resetsMax = limits.resetsMax();
        this.controlFramesMax = limits.controlFramesMax();
        begin(nowNanos);
    }

    private void begin(long nowNanos) {
        sinceNanos = nowNanos;
        requests = 0;
        resets = 0;
        controlFramesLeft = controlFramesMax;
    }

    private void look(long nowNanos) {
        if (nowNanos - sinceNanos >= SPAN_NANOS) {
            begin(nowNanos);
        }
    }

    /** A request came. */
    void request(long nowNanos) {
        look(nowNanos);
        requests++;
        useful();
    }

    /** A part of a body came or went. */
    void useful() {
        controlFramesLeft = Math.min(controlFramesMax, controlFramesLeft + EARNED);
    }

    /** A stream was reset before it was answered. Whether that were too many: more than may be, and half of the requests. */
    boolean isResetTooMuch(long nowNanos) {
        look(nowNanos);
        resets++;
        return resets > resetsMax && resets * 2L >= requests;
    }

    /** A frame came that carries nothing. Whether that were too many. */
    boolean isFrameTooMuch(long nowNanos) {
        return isTooMuch(1, nowNanos);
    }

    /** Fields came behind one for which all are refused: each KiB of them is as a frame that carries nothing. Whether that were too many. */
    boolean isIgnoredTooMuch(long bytes, long nowNanos) {
        return isTooMuch(bytes >> KIB_BITS, nowNanos);
    }

    private boolean isTooMuch(long frames, long nowNanos) {
        look(nowNanos);
        controlFramesLeft = (int) Math.max(-1, controlFramesLeft - frames);
        return controlFramesLeft < 0;
    }
}
