package net.oooops.sigma.ring;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.vertx.core.impl.transports.IoUringTransport;
import io.vertx.core.transport.Transport;
import org.jspecify.annotations.Nullable;

/**
 * Vert.x's io_uring transport with rings of a proxy's size: as many submissions in one system call as a busy turn makes, and
 * completions of thousands of connections at once without the kernel's slow path for an overflowing queue. What listens on them
 * waits after a failure: {@link CalmAccepts}.
 */
public final class RingTransport extends IoUringTransport implements Transport {
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
    public boolean isAvailable() {
        return super.isAvailable() && IoUring.isRecvMultishotEnabled();
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        Throwable cause = super.unavailabilityCause();
        return cause != null || isAvailable()
                ? cause
                : new UnsupportedOperationException("no receives that stay armed (expected: Linux 6.0 or later)");
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return this;
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        IoHandlerFactory rings = IoUringIoHandler.newFactory(
                new IoUringIoHandlerConfig().setRingSize(SUBMISSIONS).setCqSize(COMPLETIONS));
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new CalmAccepts(rings.newHandler(executor));
            }

            @Override
            public boolean isChangingThreadSupported() {
                return rings.isChangingThreadSupported();
            }
        };
    }
}
