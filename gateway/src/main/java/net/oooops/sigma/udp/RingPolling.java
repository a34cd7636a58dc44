package net.oooops.sigma.udp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A poll on a ring that is asked once and, when it has answered, again: it answers at once where there is still something to be read.
 * Asking costs no system call, it goes with whatever the ring submits next.
 *
 * <p>Numbers and meaning: {@code linux/io_uring.h} and io_uring_enter(2).
 */
final class RingPolling implements IoUringIoHandle, UnixUdpSocket.Polling {
    private static final byte POLL_ADD = 6;
    private static final byte ASYNC_CANCEL = 14;
    private static final int POLLIN = 1;
    private static final byte PLAIN = 0;
    private static final short NOTHING = 0;

    private final UnixUdpSocket socket;
    private final IoRegistration registration;
    /** As its submission returned; 0 where no poll is under way. */
    private long poll;

    private boolean paused;
    private boolean ended;

    private RingPolling(UnixUdpSocket socket, IoEventLoop loop) throws IOException {
        this.socket = socket;
        this.registration = UnixUdpSocket.Polling.register(this, loop);
    }

    static RingPolling of(UnixUdpSocket socket, IoEventLoop loop) throws IOException {
        RingPolling polling = new RingPolling(socket, loop);
        polling.ask();
        return polling;
    }

    private void ask() {
        int descriptor = socket.socket().intValue();
        poll = registration.submit(
                new IoUringIoOps(POLL_ADD, PLAIN, NOTHING, descriptor, 0, 0, 0, POLLIN, 0L, NOTHING, NOTHING, 0, 0));
    }

    @Override
    public void handle(IoRegistration registered, IoEvent event) {
        if (((IoUringIoEvent) event).opcode() != POLL_ADD) {
            return;
        }
        poll = 0;
        if (!ended && !paused) {
            socket.readable();
        }
        if (!ended && !paused && poll == 0) {
            ask();
        }
    }

    @Override
    public void read(boolean whether) {
        paused = !whether;
        if (paused) {
            cancel();
        } else if (poll == 0) {
            ask();
        }
    }

    private void cancel() {
        if (poll != 0) {
            registration.submit(
                    new IoUringIoOps(ASYNC_CANCEL, PLAIN, NOTHING, -1, 0, poll, 0, 0, 0L, NOTHING, NOTHING, 0, 0));
        }
    }

    @Override
    public void end() {
        ended = true;
        // The poll holds on to the socket, and with it to its port.
        cancel();
        registration.cancel();
    }

    @Override
    public void unregistered() {
        try {
            socket.socket().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        // The event loop ends.
        socket.close();
    }
}
