package net.oooops.sigma.ring;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Netty's handler of a ring, where a listening socket that couldn't accept doesn't try again by itself.
 *
 * <p>The kernel ends an accept that stays armed when one fails, and Netty 4.2.18 arms it again at once, whether the channel is to be
 * read or not: where the process has no file descriptor left, that fails as soon, and so on without end. Here what the channel
 * submits while it is told of a failure is not done. It goes on when it is read the next time: when its {@code autoRead} was switched off
 * and on again, as {@code listen.Binding} and Netty's own acceptor do.
 *
 * <p>Connections of Sigma's own are registered as they are; nothing stands between them and the ring.
 */
record CalmAccepts(IoHandler ring) implements IoHandler {
    @Override
    public void initialize() {
        ring.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return ring.run(context);
    }

    @Override
    public void prepareToDestroy() {
        ring.prepareToDestroy();
    }

    @Override
    public void destroy() {
        ring.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        // Channels of Netty's: those that listen.
        if (handle instanceof Channel.Unsafe
                && handle instanceof IoUringIoHandle ofChannel
                && !(handle instanceof RingChannel.RingUnsafe)) {
            Registration registration = new Registration(ofChannel);
            registration.ring = ring.register(registration);
            return registration;
        }
        return ring.register(handle);
    }

    @Override
    public void wakeup() {
        ring.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return ring.isCompatible(handleType);
    }

    /** Of one channel. Called on its event loop only. */
    @SuppressWarnings("try") // Closed by Netty, never as a resource.
    private static final class Registration implements IoUringIoHandle, IoRegistration {
        private final IoUringIoHandle channel;
        private @Nullable IoRegistration ring;
        private boolean failing;

        Registration(IoUringIoHandle channel) {
            this.channel = channel;
        }

        private IoRegistration ring() {
            return Objects.requireNonNull(ring, "registered");
        }

        @Override
        public void handle(IoRegistration registered, IoEvent event) {
            IoUringIoEvent completed = (IoUringIoEvent) event;
            int result = completed.res();
            failing = completed.opcode() == Op.ACCEPT && result < 0 && !Op.isToRepeat(result) && result != Op.ECANCELED;
            try {
                channel.handle(registered, event);
            } finally {
                failing = false;
            }
        }

        @Override
        public long submit(IoOps ops) {
            return failing ? 0 : ring().submit(ops);
        }

        @Override
        public void registered() {
            channel.registered();
        }

        @Override
        public void unregistered() {
            channel.unregistered();
        }

        @Override
        public void close() throws Exception {
            channel.close();
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
        public <T> T attachment() {
            return ring().attachment();
        }

        @Override
        public boolean isValid() {
            return ring().isValid();
        }

        @Override
        public boolean cancel() {
            return ring().cancel();
        }
    }
}
