package net.oooops.sigma.control.socket;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A connection on which every wait has an end, and every message is a line of bounded length. For one thread, {@link #close} for any. */
final class TimedChannel implements AutoCloseable {
    private static final int BUFFER_BYTES = 16 << 10;
    private static final long CONNECT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;

    /**
     * Connects to a socket of this machine.
     *
     * @param limit until it is connected
     * @throws Busy where whoever listens there takes nobody for so long
     */
    static TimedChannel connect(Path socket, Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            SocketChannel channel = connectNow(socket);
            if (channel != null) {
                return new TimedChannel(channel);
            }
            if (System.nanoTime() >= deadline) {
                throw new Busy();
            }
            LockSupport.parkNanos(CONNECT_PAUSE_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted");
            }
        }
    }

    /**
     * Connects to a socket of this machine, without waiting.
     *
     * @return not blocking; null where somebody listens there who takes nobody now, as too many wait already
     * @throws java.net.ConnectException where nobody listens there
     */
    static @Nullable SocketChannel connectNow(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        boolean connected = false;
        try {
            channel.configureBlocking(false);
            connected = channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (SocketException e) {
            // EAGAIN has no exception of its own, and its text is in the user's language.
            if (e instanceof ConnectException || !Files.isWritable(socket)) {
                throw e;
            }
        } finally {
            if (!connected) {
                channel.close();
            }
        }
        return connected ? channel : null;
    }

    /** Takes the channel, which is closed with it. */
    TimedChannel(SocketChannel channel) throws IOException {
        this.channel = channel;
        try {
            channel.configureBlocking(false);
            this.selector = Selector.open();
            this.key = channel.register(selector, 0);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * What comes up to a line's end, which isn't part of it, or up to the end of what comes.
     *
     * @param bytesMax so much at most
     * @param limit until all of it is here
     * @throws SocketTimeoutException where it takes longer
     * @throws TooLong where it is longer
     */
    byte[] readLine(int bytesMax, Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        while (true) {
            int count = channel.read(buffer.clear());
            if (count < 0) {
                return line.toByteArray();
            }
            int end = lineEnd(buffer.array(), count);
            line.write(buffer.array(), 0, end);
            if (line.size() > bytesMax) {
                throw new TooLong(bytesMax);
            }
            if (end < count) {
                return line.toByteArray();
            }
            if (count == 0) {
                await(SelectionKey.OP_READ, deadline);
            }
        }
    }

    private static int lineEnd(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return count;
    }

    /**
     * Sends a line.
     *
     * @param limit until all of it is taken
     * @throws SocketTimeoutException where it takes longer
     */
    void writeLine(byte[] line, Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        ByteBuffer bytes =
                ByteBuffer.allocate(line.length + 1).put(line).put((byte) '\n').flip();
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                await(SelectionKey.OP_WRITE, deadline);
            }
        }
    }

    /**
     * Sends nothing more, and takes what comes, for nobody, until the other end sends nothing more either: closed with something unread, the
     * connection would be reset there, before or after what was sent is read.
     *
     * @param limit until then
     * @throws SocketTimeoutException where it takes longer
     */
    void finish(Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        channel.shutdownOutput();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        while (channel.read(buffer.clear()) >= 0) {
            await(SelectionKey.OP_READ, deadline);
        }
    }

    private void await(int operation, long deadline) throws IOException {
        key.interestOps(operation);
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        boolean ready = millis > 0 && selector.select(millis) > 0;
        if (!ready && System.nanoTime() >= deadline - TimeUnit.MILLISECONDS.toNanos(1)) {
            throw new SocketTimeoutException("nothing came in time");
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted");
        }
        selector.selectedKeys().clear();
    }

    @Override
    public void close() {
        try (selector) {
            channel.close();
        } catch (IOException e) {
            // Nothing is lost that anybody waits for.
            return;
        }
    }

    /** Somebody listens, with whom too many wait to be taken. */
    static final class Busy extends IOException {
        private static final long serialVersionUID = 1L;

        Busy() {
            super("too many wait to be taken");
        }
    }

    /** A line that is longer than it may be. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        TooLong(int bytesMax) {
            super("longer than " + bytesMax + " bytes");
        }
    }
}
