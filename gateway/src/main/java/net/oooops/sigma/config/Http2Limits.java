package net.oooops.sigma.config;

/**
 * Bounds on each connection of a client that speaks HTTP/2: {@code limits.http2}.
 *
 * @param streamsMax requests under way at once; a further one is refused (REFUSED_STREAM), and harmless to send again
 * @param resetsMax streams that are reset before they are answered, within 30 s, where these are half of all; the connection ends
 *     (ENHANCE_YOUR_CALM)
 * @param controlFramesMax frames that carry nothing, within 30 s, beside ten for each that does; the connection ends
 * @param continuationsMax CONTINUATION frames of one header block; the connection ends
 * @param windowBytesMax what a client may send ahead of its node on one stream, as the window grows with the connection's bandwidth and
 *     delay
 */
public record Http2Limits(
        int streamsMax, int resetsMax, int controlFramesMax, int continuationsMax, int windowBytesMax) {
    /** What holds where sigma.json says nothing. */
    public static final Http2Limits DEFAULT = new Http2Limits(128, 200, 1000, 8, 1 << 20);
}
