package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32;

/** The CRC-32 of a part of a buffer, without copying it. */
final class Checksum {
    private Checksum() {}

    /** Of the bytes from {@code start} to before {@code end}. */
    static int of(CRC32 crc, ByteBuf in, int start, int end) {
        crc.reset();
        if (in.hasArray()) {
            crc.update(in.array(), in.arrayOffset() + start, end - start);
        } else {
            crc.update(in.internalNioBuffer(start, end - start));
        }
        return (int) crc.getValue();
    }
}
