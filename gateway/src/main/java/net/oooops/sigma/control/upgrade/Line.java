package net.oooops.sigma.control.upgrade;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import net.oooops.sigma.control.socket.PlainJson;
import org.jspecify.annotations.Nullable;

/**
 * What two processes that follow each other say to each other: messages of JSON, each behind its length in four bytes, and descriptors. By a socket of the file system, which
 * alone passes descriptors on (unix(7), SCM_RIGHTS).
 *
 * <p>One thread says something at a time, and one listens. {@link #close}: any. Every wait has an end.
 */
final class Line implements AutoCloseable {
    private static final int MESSAGE_BYTES_MAX = 64 << 20;
    private static final int LENGTH_BYTES = 4;
    private static final int BUFFER_BYTES = 16 << 10;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int NAME_BYTES_MAX = 256;

    static {
        // It brings the native calls of all sockets.
        Epoll.ensureAvailability();
    }

    private final Socket socket;
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
    /** What is left of a message that the other one hasn't taken in time. */
    private ByteBuffer rest = ByteBuffer.allocate(0);
    /** What goes behind it, whenever it can. */
    private final Queue<ByteBuffer> queue = new ArrayDeque<>();

    /** The length of the message that comes, as much of it as is there. */
    private final ByteBuffer length = ByteBuffer.allocate(LENGTH_BYTES);
    /** The message, as much of it as is there; null before its length is. */
    private @Nullable ByteBuffer body;

    private Line(Socket socket) {
        this.socket = socket;
    }

    /** Where one process waits for the other. */
    static final class Waiting implements AutoCloseable {
        private final Socket server;
        private final Path path;

        private Waiting(Socket server, Path path) {
            this.server = server;
            this.path = path;
        }

        /**
         * Waits until the other one has come.
         *
         * @param unless waiting is in vain
         * @return null where it is
         * @throws SocketTimeoutException where it takes longer
         */
        @Nullable Line accept(Duration limit, BooleanSupplier unless) throws IOException {
            long deadline = System.nanoTime() + limit.toNanos();
            while (true) {
                // In this order: it may have come, and ended since.
                boolean inVain = unless.getAsBoolean();
                int descriptor = server.accept(new byte[NAME_BYTES_MAX]);
                if (descriptor >= 0) {
                    return new Line(new Socket(descriptor));
                }
                if (inVain) {
                    return null;
                }
                pause(deadline);
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
            Files.deleteIfExists(path);
        }
    }

    /**
     * Waits there, in a folder that nobody else may enter.
     *
     * @throws IOException where that can't be
     */
    static Waiting listen(Path path) throws IOException {
        Files.deleteIfExists(path);
        Socket server = Socket.newSocketDomain();
        try {
            server.bind(new DomainSocketAddress(path.toString()));
            server.listen(1);
            return new Waiting(server, path);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }

    /** To the process that waits there. */
    static Line connect(Path path) throws IOException {
        Socket socket = Socket.newSocketDomain();
        try {
            if (!socket.connect(new DomainSocketAddress(path.toString()))) {
                throw new IOException("nobody takes the connection");
            }
            return new Line(socket);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }

    /**
     * Says something.
     *
     * @throws SocketTimeoutException where it isn't taken in time; what has begun to go goes before what is said next
     */
    void send(Map<String, ?> message, Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        ByteBuffer whole = whole(message);
        goOn(deadline);
        rest = whole;
        sendRest(deadline);
    }

    /**
     * Says something that isn't lost where it isn't taken in time: it goes behind what has to go first, by {@link #goOn}.
     *
     * @throws SocketTimeoutException where it isn't taken in time
     */
    void queue(Map<String, ?> message, Duration limit) throws IOException {
        queue.add(whole(message));
        goOn(limit);
    }

    /**
     * Goes on with what wasn't taken in time.
     *
     * @throws SocketTimeoutException where something is left still
     */
    void goOn(Duration limit) throws IOException {
        goOn(System.nanoTime() + limit.toNanos());
    }

    private void goOn(long deadline) throws IOException {
        sendRest(deadline);
        ByteBuffer next = queue.poll();
        while (next != null) {
            rest = next;
            sendRest(deadline);
            next = queue.poll();
        }
    }

    private static ByteBuffer whole(Map<String, ?> message) {
        byte[] json = PlainJson.line(message);
        return ByteBuffer.allocate(LENGTH_BYTES + json.length)
                .putInt(json.length)
                .put(json)
                .flip();
    }

    private void sendRest(long deadline) throws IOException {
        while (rest.hasRemaining()) {
            out.clear();
            int bytes = Math.min(out.capacity(), rest.remaining());
            out.put(rest.slice(rest.position(), bytes));
            int sent = socket.send(out, 0, bytes);
            if (sent > 0) {
                rest.position(rest.position() + sent);
            } else {
                pause(deadline);
            }
        }
    }

    /**
     * What the other one says next; null where it has ended.
     *
     * @throws SocketTimeoutException where it takes longer
     */
    @Nullable Map<String, @Nullable Object> receive(Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            Map<String, @Nullable Object> message = heard();
            while (message == null) {
                pause(deadline);
                message = heard();
            }
            return message;
        } catch (EOFException e) {
            return null;
        }
    }

    /**
     * What the other one has said since; null where that is nothing, or not all of it has come. Doesn't wait: who says something may stand still in the middle of it.
     *
     * @throws EOFException where it has ended
     */
    @Nullable Map<String, @Nullable Object> heard() throws IOException {
        ByteBuffer begun = body;
        if (begun == null) {
            if (!isFull(length)) {
                return null;
            }
            begun = ByteBuffer.allocate(bytes(length.getInt(0)));
            body = begun;
        }
        if (!isFull(begun)) {
            return null;
        }
        body = null;
        length.clear();
        return PlainJson.read(begun.array());
    }

    private static int bytes(int said) throws IOException {
        if (said < 0 || said > MESSAGE_BYTES_MAX) {
            throw new IOException("a message of " + said + " bytes (expected: at most " + MESSAGE_BYTES_MAX + ")");
        }
        return said;
    }

    /** Reads what is there, and no more than has room in it. */
    private boolean isFull(ByteBuffer all) throws IOException {
        while (all.hasRemaining()) {
            int received = socket.recv(in, 0, Math.min(in.capacity(), all.remaining()));
            if (received < 0) {
                throw new EOFException("it has ended");
            }
            if (received == 0) {
                return false;
            }
            all.put(in.clear().limit(received));
        }
        return true;
    }

    /** Passes a descriptor on, which stays this process's, too. */
    void pass(int descriptor, Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (socket.sendFd(descriptor) < 0) {
            pause(deadline);
        }
    }

    /** A descriptor that the other one passes on. */
    int taken(Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            int descriptor = socket.recvFd();
            if (descriptor > 0) {
                return descriptor;
            }
            if (descriptor < 0) {
                throw new IOException("the process before this one has ended");
            }
            pause(deadline);
        }
    }

    private static void pause(long deadline) throws SocketTimeoutException {
        if (System.nanoTime() - deadline > 0) {
            throw new SocketTimeoutException("nothing came in time");
        }
        LockSupport.parkNanos(POLL_NANOS);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed all the same: close(2).
            return;
        }
    }
}
