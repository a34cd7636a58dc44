package net.oooops.sigma.config;

/**
 * Bounds on connections of clients that speak HTTP/2: {@code limits.http2}. On each of them, where nothing else is said.
 *
 * @param streamsMax requests under way at once; a further one is refused (REFUSED_STREAM), and harmless to send again
 * @param streamsTotalMax requests under way at once on all of them; beyond, each has one at a time, and others are refused
 * @param resetsMax streams that are reset before they are answered, within 30 s, where these are half of all; the connection ends
 *     (ENHANCE_YOUR_CALM)
 * @param controlFramesMax frames that carry nothing, and KiB of heads behind what they are refused for, within 30 s, beside ten for each that carries
 *     something; the connection ends
 * @param continuationsMax CONTINUATION frames of one header block; the connection ends
 * @param windowBytesMax what a client may send ahead of its node on one stream, as the window grows with the connection's bandwidth and
 *     delay
 */
public record Http2Limits(
        int streamsMax,
        int streamsTotalMax,
        int resetsMax,
        int controlFramesMax,
        int continuationsMax,
        int windowBytesMax) {
    /** What holds where sigma.json says nothing. */
    public static final Http2Limits DEFAULT = new Http2Limits(128, 8000, 200, 1000, 8, 1 << 20);
}
