package net.oooops.sigma.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * A received body: length and SHA-256 whatever its size, the bytes themselves while it is small. One that is expected is compared as it
 * comes, which takes far less time than its SHA-256. Written by the thread that reads the connection; {@link #end()} is published last, so other threads see all the rest once the end is no longer UNREAD.
 */
final class RawBody {
    private static final String SHA256_OF_NOTHING = Wire.hex(Wire.sha256());

    private final int keptBytesMax;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream(0);
    private @Nullable MessageDigest digest;
    private @Nullable BodyComparison comparison;
    private @Nullable OutputStream copy;
    private String sha256 = SHA256_OF_NOTHING;
    private Headers trailers = Headers.NONE;
    private volatile long bytes;
    private volatile BodyEnd end = BodyEnd.UNREAD;

    RawBody(int keptBytesMax) {
        this.keptBytesMax = keptBytesMax;
    }

    /** Compares it with that one from here on, where nothing has come yet. */
    void expect(GeneratedBody expected) {
        if (bytes > 0) {
            throw new IllegalStateException("body: " + bytes + " bytes came already (expected: none)");
        }
        comparison = new BodyComparison(expected);
    }

    /** Takes bytes as they come, without framing. */
    void accept(byte[] part, int offset, int length) throws IOException {
        if (comparison == null) {
            digest(part, offset, length);
        } else {
            comparison.accept(part, offset, length);
        }
        long total = bytes + length;
        if (total <= keptBytesMax) {
            kept.write(part, offset, length);
        } else {
            kept.reset();
        }
        bytes = total;
        if (copy != null) {
            copy.write(part, offset, length);
        }
    }

    private void digest(byte[] part, int offset, int length) {
        MessageDigest current = digest;
        if (current == null) {
            current = Wire.sha256();
            digest = current;
        }
        current.update(part, offset, length);
    }

    /** Gives what comes from here on to another stream too, or no longer. */
    void copyTo(@Nullable OutputStream other) {
        copy = other;
    }

    void finish(BodyEnd how, Headers trailerLines) {
        if (digest != null) {
            sha256 = Wire.hex(digest);
            digest = null;
        }
        trailers = trailerLines;
        end = how;
    }

    BodyEnd end() {
        return end;
    }

    /** The count so far, also while it is being read. */
    long bytes() {
        return bytes;
    }

    String sha256() {
        requireEnded();
        if (comparison != null) {
            throw new IllegalStateException(
                    "body: compared with the one expected (expected: its mismatch is asked for)");
        }
        return sha256;
    }

    long mismatch() {
        requireEnded();
        if (comparison == null) {
            throw new IllegalStateException("body: compared with nothing (expected: expectBody before it comes)");
        }
        return comparison.mismatch();
    }

    Headers trailers() {
        requireEnded();
        return trailers;
    }

    byte[] kept() {
        requireEnded();
        if (bytes > keptBytesMax) {
            throw new IllegalStateException("body: " + bytes + " bytes, of which none are kept (expected: <= "
                    + keptBytesMax + "; look at its length and SHA-256)");
        }
        return kept.toByteArray();
    }

    private void requireEnded() {
        if (end == BodyEnd.UNREAD) {
            throw new IllegalStateException("body: still being read, " + bytes + " bytes so far (expected: ended)");
        }
    }

    @Override
    public String toString() {
        return end + ", " + bytes + " bytes" + (trailers.all().isEmpty() ? "" : ", trailers:\n" + trailers);
    }
}
