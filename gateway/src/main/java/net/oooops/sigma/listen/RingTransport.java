package net.oooops.sigma.listen;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.vertx.core.impl.transports.IoUringTransport;
import io.vertx.core.transport.Transport;

/**
 * Vert.x's io_uring transport with rings of a proxy's size: as many submissions in one system call as a busy turn makes, and
 * completions of thousands of connections at once without the kernel's slow path for an overflowing queue.
 */
final class RingTransport extends IoUringTransport implements Transport {
    private static final int SUBMISSIONS = 512;
    private static final int COMPLETIONS = 16384;

    @Override
    public String name() {
        return "io_uring";
    }

    @Override
    public boolean available() {
        return isAvailable();
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return this;
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return IoUringIoHandler.newFactory(
                new IoUringIoHandlerConfig().setRingSize(SUBMISSIONS).setCqSize(COMPLETIONS));
    }
}
