package net.oooops.sigma.udp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Level-triggered epoll: a socket that isn't read to its end is told of again, after all others. */
final class EpollPolling implements EpollIoHandle, UnixUdpSocket.Polling {
    private final UnixUdpSocket socket;
    private final IoRegistration registration;

    private EpollPolling(UnixUdpSocket socket, IoEventLoop loop) throws IOException {
        this.socket = socket;
        this.registration = UnixUdpSocket.Polling.register(this, loop);
    }

    static EpollPolling of(UnixUdpSocket socket, IoEventLoop loop) throws IOException {
        EpollPolling polling = new EpollPolling(socket, loop);
        try {
            polling.registration.submit(EpollIoOps.EPOLLIN);
        } catch (UncheckedIOException e) {
            polling.registration.cancel();
            throw e.getCause();
        }
        return polling;
    }

    @Override
    public FileDescriptor fd() {
        return socket.socket();
    }

    @Override
    public void handle(IoRegistration registered, IoEvent event) {
        if (socket.socket().isOpen()) {
            socket.readable();
        }
    }

    @Override
    public void read(boolean whether) {
        registration.submit(whether ? EpollIoOps.EPOLLIN : EpollIoOps.NONE);
    }

    @Override
    public void end() {
        // In this order: the descriptor's number is another's as soon as it is closed.
        registration.cancel();
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
