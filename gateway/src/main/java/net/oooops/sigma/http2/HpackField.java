package net.oooops.sigma.http2;

/** A field that was decoded: where its name and its value stand. Used for one field after the other. */
final class HpackField {
    byte[] name = new byte[0];
    int nameStart;
    int nameEnd;
    byte[] value = new byte[0];
    int valueStart;
    int valueEnd;

    void name(byte[] in, int start, int end) {
        name = in;
        nameStart = start;
        nameEnd = end;
    }

    void value(byte[] in, int start, int end) {
        value = in;
        valueStart = start;
        valueEnd = end;
    }
}
