package net.oooops.sigma.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * The sending side of a connection. Each write is one system call as far as the window allows. For one thread at a time.
 *
 * <p>Java has no timeout for writes, so within {@link #within} a watch closes the socket when the deadline passes.
 */
final class WireOutput extends OutputStream {
    private static final ScheduledThreadPoolExecutor WATCH = watch();

    private final Socket socket;
    private final OutputStream out;
    private long sentBytes;
    private volatile boolean deadlinePassed;

    WireOutput(Socket socket) throws IOException {
        this.socket = socket;
        this.out = socket.getOutputStream();
    }

    private static ScheduledThreadPoolExecutor watch() {
        var watch = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("testkit-write-watch").factory());
        watch.setRemoveOnCancelPolicy(true);
        return watch;
    }

    /** Something that writes. */
    @FunctionalInterface
    interface Writing {
        void run() throws IOException;
    }

    /** Writes, and fails with an {@link AssertionError} when the peer does not take it all within the deadline. */
    void within(Duration deadline, Writing writing) throws IOException {
        long sentBefore = sentBytes;
        ScheduledFuture<?> alarm = WATCH.schedule(this::giveUp, deadline.toNanos(), TimeUnit.NANOSECONDS);
        try {
            writing.run();
        } catch (IOException e) {
            if (deadlinePassed) {
                throw new AssertionError(
                        "sending: not taken within " + deadline.toMillis() + " ms, after " + (sentBytes - sentBefore)
                                + " bytes that were",
                        e);
            }
            throw e;
        } finally {
            alarm.cancel(false);
        }
    }

    private void giveUp() {
        deadlinePassed = true;
        Quietly.close(socket);
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
            sentBytes += length;
        } catch (SocketException e) {
            throw WireInput.closed(socket, e);
        } catch (SSLException e) {
            throw new PeerClosed(ConnectionEnd.RESET_BY_PEER);
        }
    }
}
