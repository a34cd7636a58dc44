package net.oooops.sigma.testkit;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * The receiving side of a connection: a buffer that its readers look into, a deadline over each operation, and the last bytes
 * received, for errors. For one thread at a time.
 */
final class WireInput {
    private static final int BUFFER_BYTES = 8 * 1024;
    private static final int BODY_BUFFER_BYTES = 128 * 1024;
    private static final int TAIL_BYTES = 4 * 1024;
    private static final int HEAD_BYTES_MAX = 1024 * 1024;
    private static final byte[] HEAD_END = {'\r', '\n', '\r', '\n'};

    private final Socket socket;
    private final InputStream in;
    private byte[] buffer = new byte[BUFFER_BYTES];
    private int start;
    private int end;
    private long receivedBytes;
    private byte[] tail = new byte[0];
    private Deadline deadline = Deadline.NEVER;

    WireInput(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
    }

    /** Sets the deadline of all reads from here on. */
    void deadline(Deadline until) {
        this.deadline = until;
    }

    int available() {
        return end - start;
    }

    byte[] array() {
        return buffer;
    }

    int position() {
        return start;
    }

    void skip(int count) {
        start += count;
    }

    /** Takes all that is buffered and gives the buffer back, once the connection is over. */
    byte[] release() {
        byte[] rest = Arrays.copyOfRange(buffer, start, end);
        buffer = new byte[1];
        start = 0;
        end = 0;
        return rest;
    }

    /** Makes room for long bodies, so that they cost one system call for 128 KiB. */
    void expectBody() {
        if (buffer.length < BODY_BUFFER_BYTES) {
            buffer = Arrays.copyOf(buffer, BODY_BUFFER_BYTES);
        }
    }

    /** Waits until at least one byte is buffered. */
    void require() throws IOException {
        if (start == end) {
            fill();
        }
    }

    int readByte() throws IOException {
        require();
        return buffer[start++] & 0xFF;
    }

    byte[] readExactly(int count) throws IOException {
        byte[] bytes = new byte[count];
        int filled = 0;
        while (filled < count) {
            require();
            int step = Math.min(available(), count - filled);
            System.arraycopy(buffer, start, bytes, filled, step);
            start += step;
            filled += step;
        }
        return bytes;
    }

    /** Reads up to and with the empty line that ends a head. */
    byte[] readHead() throws IOException {
        int looked = 0;
        while (true) {
            int length = headLength(looked);
            if (length > 0) {
                byte[] head = Arrays.copyOfRange(buffer, start, start + length);
                start += length;
                return head;
            }
            looked = Math.max(0, available() - (HEAD_END.length - 1));
            if (available() > HEAD_BYTES_MAX) {
                throw new Malformed("head: no end in " + available() + " bytes (expected: <= " + HEAD_BYTES_MAX + ")");
            }
            fill();
        }
    }

    private int headLength(int looked) {
        for (int at = start + looked; at + HEAD_END.length <= end; at++) {
            if (Arrays.equals(buffer, at, at + HEAD_END.length, HEAD_END, 0, HEAD_END.length)) {
                return at + HEAD_END.length - start;
            }
        }
        return -1;
    }

    /** Adds what comes next to the buffer, which holds at least one more byte afterwards. */
    void fill() throws IOException {
        if (start == end) {
            start = 0;
            end = 0;
        } else if (end == buffer.length && start > 0) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        } else if (end == buffer.length) {
            buffer = Arrays.copyOf(buffer, buffer.length * 2);
        }
        int count = receive();
        remember(end, count);
        end += count;
    }

    private int receive() throws IOException {
        try {
            if (deadline.passed()) {
                throw new SocketTimeoutException();
            }
            socket.setSoTimeout(deadline.socketTimeoutMillis());
            int count = in.read(buffer, end, buffer.length - end);
            if (count < 0) {
                throw new PeerClosed(ConnectionEnd.CLOSED_BY_PEER);
            }
            return count;
        } catch (SocketTimeoutException e) {
            throw new NothingCame("nothing more within " + deadline.given().toMillis() + " ms; " + received(), e);
        } catch (SocketException e) {
            throw closed(socket, e);
        } catch (SSLException | EOFException e) {
            // An encrypted connection that ended without saying so is as one that was reset.
            throw new PeerClosed(ConnectionEnd.RESET_BY_PEER);
        }
    }

    /** Whether a byte or the end of the connection comes within a period; bytes stay buffered. */
    boolean comesWithin(Duration period) throws IOException {
        deadline(Deadline.in(period));
        try {
            fill();
            return true;
        } catch (PeerClosed e) {
            return true;
        } catch (NothingCame e) {
            return false;
        }
    }

    private static final class NothingCame extends AssertionError {
        private static final long serialVersionUID = 1L;

        NothingCame(String message, SocketTimeoutException cause) {
            super(message, cause);
        }
    }

    /** What a failed read or write on a socket says about its end. */
    static PeerClosed closed(Socket socket, SocketException cause) {
        // An encrypted socket closes itself where the peer has reset it.
        boolean here =
                socket.isClosed() && !(socket instanceof SSLSocket && "Connection reset".equals(cause.getMessage()));
        var closed = new PeerClosed(here ? ConnectionEnd.CLOSED_HERE : ConnectionEnd.RESET_BY_PEER);
        closed.initCause(cause);
        return closed;
    }

    private void remember(int from, int count) {
        receivedBytes += count;
        int kept = Math.min(tail.length, Math.max(0, TAIL_BYTES - count));
        int added = Math.min(count, TAIL_BYTES);
        byte[] next = Arrays.copyOfRange(tail, tail.length - kept, tail.length + added);
        System.arraycopy(buffer, from + count - added, next, kept, added);
        tail = next;
    }

    /** What came on this connection so far, for errors. */
    String received() {
        String which = receivedBytes > tail.length ? ", the last " + tail.length + " of them" : "";
        return "received on this connection: " + receivedBytes + " bytes" + which + ":\n" + Wire.show(tail);
    }
}
