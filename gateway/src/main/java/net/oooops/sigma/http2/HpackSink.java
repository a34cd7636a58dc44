package net.oooops.sigma.http2;

/** What a header block is decoded into: told of one field after the other. */
interface HpackSink {
    /** The next field: it and its arrays are valid only during the call. */
    void field(HpackField field);
}
