package net.oooops.sigma.config;

/**
 * Every bound on what one listener holds, reads or counts, with the answer given beyond it. Counts are over all Workers, shared
 * out among them, unless said otherwise.
 *
 * @param requestLineBytesMax request line; 414
 * @param headerBytesMax header block of a request, without the request line; 431
 * @param headerFieldBytesMax one header line; 431
 * @param headerCountMax header lines of a request (431) or of a node's answer (502)
 * @param responseHeaderBytesMax status line and header block of a node's answer; 502
 * @param interimResponseCountMax 1xx answers of a node to one request; 502
 * @param bodyBytesMax request body, {@link #UNLIMITED} for none; 413
 * @param bufferedBodyBytesMax the most that a plugin may hold of one body; 413 for a request, 502 for an answer
 * @param chunkExtensionBytesMax chunk extensions in one message; 400, or the answer is cut
 * @param trailerBytesMax trailer section of one message; 431, or the answer is cut
 * @param pipelineBytesMax bytes of later requests held while one is being answered; beyond, reading stops
 * @param writeBufferBytesMax bytes waiting to be written on one connection; beyond, the other side is not read
 * @param connectionsMax client connections; a new one beyond is closed at once
 * @param handshakesMax TLS handshakes under way, from when their hello is whole; a further one waits for its turn
 * @param requestsPerConnectionMax requests on one client connection; the last one is answered with Connection: close
 * @param blockingCallsMax requests inside blocking plugins at once; 503
 * @param passesMax how often one request may have passed this gateway, as its Via fields tell; 508
 * @param http2 those of connections that speak HTTP/2
 */
public record Limits(
        int requestLineBytesMax,
        int headerBytesMax,
        int headerFieldBytesMax,
        int headerCountMax,
        int responseHeaderBytesMax,
        int interimResponseCountMax,
        long bodyBytesMax,
        int bufferedBodyBytesMax,
        int chunkExtensionBytesMax,
        int trailerBytesMax,
        int pipelineBytesMax,
        int writeBufferBytesMax,
        int connectionsMax,
        int handshakesMax,
        int requestsPerConnectionMax,
        int blockingCallsMax,
        int passesMax,
        Http2Limits http2) {

    /** The value of {@link #bodyBytesMax} where bodies may have any size. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** What holds where sigma.json says nothing. */
    public static final Limits DEFAULT = new Limits(
            8 << 10,
            32 << 10,
            8 << 10,
            100,
            32 << 10,
            16,
            UNLIMITED,
            1 << 20,
            1 << 10,
            8 << 10,
            64 << 10,
            64 << 10,
            50_000,
            10_000,
            10_000,
            10_000,
            8,
            Http2Limits.DEFAULT);

    /**
     * The same with larger heads of requests.
     *
     * @param bytesMax of the request line, of all fields together, and of each
     * @param countMax how many fields
     */
    public Limits withRequestHeads(int bytesMax, int countMax) {
        return new Limits(
                bytesMax,
                bytesMax,
                bytesMax,
                countMax,
                responseHeaderBytesMax,
                interimResponseCountMax,
                bodyBytesMax,
                bufferedBodyBytesMax,
                chunkExtensionBytesMax,
                trailerBytesMax,
                pipelineBytesMax,
                writeBufferBytesMax,
                connectionsMax,
                handshakesMax,
                requestsPerConnectionMax,
                blockingCallsMax,
                passesMax,
                http2);
    }
}
