package net.oooops.sigma.ring;

import io.netty.channel.ChannelPromise;
import io.netty.channel.unix.Errors;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A connect under way: where to, who waits for it, and the address as the kernel reads it until the connect has ended. */
final class Connecting {
    private final InetSocketAddress to;
    private final ChannelPromise promise;
    private final SocketAddressMemory address;
    private @Nullable ScheduledFuture<?> timeout;

    Connecting(InetSocketAddress to, ChannelPromise promise, SocketAddressMemory address) {
        this.to = to;
        this.promise = promise;
        this.address = address;
    }

    void endsWith(ScheduledFuture<?> late) {
        timeout = late;
    }

    /** The kernel has connected; whether anybody still waits for that. */
    boolean succeed() {
        release();
        return promise.trySuccess();
    }

    /** The kernel gave up. */
    void fail(int errno) {
        release();
        promise.tryFailure(failure(errno));
    }

    /** Nobody waits any longer; the kernel hasn't given up yet. */
    boolean abandon(Throwable cause) {
        return promise.tryFailure(cause);
    }

    /** The kernel is through with the address. */
    void release() {
        ScheduledFuture<?> late = timeout;
        if (late != null) {
            timeout = null;
            late.cancel(false);
        }
        address.release();
    }

    private IOException failure(int errno) {
        IOException cause = Errors.newIOException("connect", errno);
        ConnectException failure = new ConnectException(cause.getMessage() + ": " + to);
        failure.initCause(cause);
        return failure;
    }
}
