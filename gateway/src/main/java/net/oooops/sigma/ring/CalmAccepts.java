package net.oooops.sigma.ring;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import net.oooops.sigma.channel.Passing;

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
final class CalmAccepts extends Passing.Handler {
    /** @param ring Netty's handler */
    CalmAccepts(IoHandler ring) {
        super(ring);
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        // Channels of Netty's: those that listen.
        if (handle instanceof Channel.Unsafe
                && handle instanceof IoUringIoHandle ofChannel
                && !(handle instanceof RingChannel.RingUnsafe)) {
            Listening listening = new Listening(ofChannel);
            return new Registration(super.register(listening), listening);
        }
        return super.register(handle);
    }

    /** One that listens. */
    @SuppressWarnings("try") // Closed by Netty, never as a resource.
    private static final class Listening extends Passing.Handle implements IoUringIoHandle {
        /** While it is told that an accept failed. */
        private boolean failing;

        Listening(IoUringIoHandle channel) {
            super(channel);
        }

        @Override
        public void handle(IoRegistration registered, IoEvent event) {
            IoUringIoEvent completed = (IoUringIoEvent) event;
            int result = completed.res();
            failing = completed.opcode() == Op.ACCEPT && result < 0 && !Op.isToRepeat(result) && result != Op.ECANCELED;
            try {
                super.handle(registered, event);
            } finally {
                failing = false;
            }
        }
    }

    private static final class Registration extends Passing.Registration {
        private final Listening listening;

        Registration(IoRegistration ring, Listening listening) {
            super(ring);
            this.listening = listening;
        }

        @Override
        public long submit(IoOps ops) {
            return listening.failing ? 0 : super.submit(ops);
        }
    }
}
