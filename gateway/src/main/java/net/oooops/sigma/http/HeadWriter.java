package net.oooops.sigma.http;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Writes heads: a growing array, used for one after the other. What it holds is copied into the
 * outgoing buffer at once.
 *
 * <p>Called on one event loop only.
 */
public final class HeadWriter {
    private static final byte[] VERSION_END = Octets.ascii(" HTTP/1.1\r\n");
    private static final byte[] STATUS_START = Octets.ascii("HTTP/1.1 ");
    private static final byte[] CONTENT_LENGTH = Octets.ascii("Content-Length: ");
    private static final byte[] CRLF = Octets.ascii("\r\n");
    private static final int BYTES_FIRST = 4096;
    private static final int DIGITS_MAX = 20;

    private byte[] bytes = new byte[BYTES_FIRST];
    private int length;
    private final byte[] digits = new byte[DIGITS_MAX];

    /** Begins a new head. */
    public HeadWriter begin() {
        length = 0;
        return this;
    }

    /** What is written: the first {@link #length} bytes. Valid until more is. */
    public byte[] bytes() {
        return bytes;
    }

    /** How many bytes are written. */
    public int length() {
        return length;
    }

    /** Forgets what was written from there on. */
    void backTo(int earlierLength) {
        length = earlierLength;
    }

    /** All that is written, as text. */
    String text() {
        return Octets.string(bytes, 0, length);
    }

    /** Appends all that is written to {@code out}. */
    public void copyTo(ByteBuf out) {
        out.writeBytes(bytes, 0, length);
    }

    /** The request line: method and target as they are now, version of this side. */
    public void requestLine(HttpRequestHead head) {
        int methodBytes = head.sentMethodBytes();
        ensure(methodBytes + head.target().bytes() + VERSION_END.length + 1);
        System.arraycopy(head.sentMethod(), 0, bytes, length, methodBytes);
        length += methodBytes;
        bytes[length++] = Octets.SP;
        if (head.isAuthorityForm()) {
            append(head.bytes, head.authorityStart(), head.authorityEnd());
            append(VERSION_END);
            return;
        }
        length = head.target().copyTo(bytes, length);
        put(VERSION_END);
    }

    /** The target of a request as it is now, alone. */
    public void target(HttpRequestHead head) {
        ensure(head.target().bytes());
        length = head.target().copyTo(bytes, length);
    }

    /** The status line, with the reason phrase that came, or that belongs to the status where there is none to keep. */
    public void statusLine(HttpResponseHead head) {
        if (head.isStatusEdited() || head.reasonStart == 0) {
            append(StatusLines.of(head.status()));
            return;
        }
        ensure(STATUS_START.length + head.fieldsStart);
        put(STATUS_START);
        // Status and reason as they came; an absent reason keeps its space (RFC 9112 section 4).
        length = head.copy(head.reasonStart - 3, head.fieldsStart - 2, bytes, length);
        if (head.fieldsStart - 2 == head.reasonStart) {
            bytes[length++] = Octets.SP;
        }
        bytes[length++] = Octets.CR;
        bytes[length++] = Octets.LF;
    }

    /** All fields of a section that go on, the edits applied. */
    public void fields(FieldSection section) {
        ensure(section.fieldBytesMax());
        length = section.copyFields(bytes, length);
    }

    /** All that another one holds. */
    public void append(HeadWriter other) {
        append(other.bytes, 0, other.length);
    }

    /** Bytes that were prepared. */
    public void append(byte[] prepared) {
        ensure(prepared.length);
        put(prepared);
    }

    /** A part of an array. */
    public void append(byte[] from, int start, int end) {
        ensure(end - start);
        System.arraycopy(from, start, bytes, length, end - start);
        length += end - start;
    }

    /** One byte. */
    public void append(byte b) {
        ensure(1);
        bytes[length++] = b;
    }

    /** A number that isn't negative, in decimal. */
    public void decimal(long number) {
        int at = DIGITS_MAX;
        long rest = number;
        do {
            digits[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        append(digits, at, DIGITS_MAX);
    }

    /** The field of a body's length. */
    public void contentLength(long length) {
        append(CONTENT_LENGTH);
        decimal(length);
        append(CRLF);
    }

    /** The empty line that ends a head. */
    public void end() {
        ensure(2);
        bytes[length++] = Octets.CR;
        bytes[length++] = Octets.LF;
    }

    private void put(byte[] prepared) {
        System.arraycopy(prepared, 0, bytes, length, prepared.length);
        length += prepared.length;
    }

    private void ensure(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
