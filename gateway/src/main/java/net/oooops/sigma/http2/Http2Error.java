package net.oooops.sigma.http2;

/** Why a stream or a connection ends (RFC 9113 section 7). The code of each is its place. */
enum Http2Error {
    NO_ERROR,
    PROTOCOL_ERROR,
    INTERNAL_ERROR,
    FLOW_CONTROL_ERROR,
    SETTINGS_TIMEOUT,
    STREAM_CLOSED,
    FRAME_SIZE_ERROR,
    REFUSED_STREAM,
    CANCEL,
    COMPRESSION_ERROR,
    CONNECT_ERROR,
    ENHANCE_YOUR_CALM;

    /** As it stands in frames. */
    int code() {
        return ordinal();
    }
}
