package net.oooops.sigma.http2;

/** What a header block is decoded into: told of one field after the other. */
interface HpackSink {
    /** The next field: name and value stand in these arrays, and only during the call. */
    void field(byte[] name, int nameStart, int nameEnd, byte[] value, int valueStart, int valueEnd);
}
