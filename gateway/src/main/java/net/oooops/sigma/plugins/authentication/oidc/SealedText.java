package net.oooops.sigma.plugins.authentication.oidc;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** How what is to be sealed is written: numbers of eight bytes, and texts and bytes with their length in two before them. */
final class SealedText {
    private SealedText() {}

    /** Writes. */
    static final class Writer {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        private final DataOutputStream out = new DataOutputStream(bytes);

        Writer number(long value) {
            try {
                out.writeLong(value);
                return this;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** @throws IllegalArgumentException where it is longer than can be written */
        Writer bytes(byte[] value) {
            if (value.length > 0xFFFF) {
                throw new IllegalArgumentException(value.length + " bytes (expected: up to 65535)");
            }
            try {
                out.writeShort(value.length);
                out.write(value);
                return this;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Writer text(String value) {
            return bytes(value.getBytes(StandardCharsets.UTF_8));
        }

        byte[] toBytes() {
            return bytes.toByteArray();
        }
    }

    /** Reads; what fails is none that was written so. */
    static final class Reader {
        private final DataInputStream in;

        Reader(byte[] bytes) {
            in = new DataInputStream(new ByteArrayInputStream(bytes));
        }

        long number() throws IOException {
            return in.readLong();
        }

        byte[] bytes() throws IOException {
            byte[] value = new byte[in.readUnsignedShort()];
            in.readFully(value);
            return value;
        }

        /** Whether nothing follows. */
        boolean isAtEnd() throws IOException {
            return in.available() == 0;
        }

        String text() throws IOException {
            return new String(bytes(), StandardCharsets.UTF_8);
        }
    }
}
