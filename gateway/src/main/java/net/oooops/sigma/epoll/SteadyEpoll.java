package net.oooops.sigma.epoll;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.transport.Transport;
import net.oooops.sigma.channel.Passing;

/**
 * Vert.x's epoll transport, whose connections stay known to epoll, and hear of themselves alone.
 *
 * <p>A connection that has ended its input and waits for nothing is taken out of epoll's set by Netty 4.2.18, which forgets that it
 * was: where it has to wait for room to write later, that fails, and so does the connection. Here such a connection stays in the
 * set, edge-triggered and for nothing, which costs no event.
 *
 * <p>What epoll says at once is told one after the other, and the connections are known by their descriptors: Netty 4.2.18 gives an
 * event of one that was closed meanwhile to the one that has its descriptor since. That one would be taken for closed by its peer, or
 * couldn't connect. Here a connection isn't told of what epoll had said before it was there: that can't be about it.
 */
public final class SteadyEpoll extends EpollTransport implements Transport {
    @Override
    public String name() {
        return "epoll";
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
        IoHandlerFactory epoll = super.ioHandlerFactory();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new Handler(epoll.newHandler(executor));
            }

            @Override
            public boolean isChangingThreadSupported() {
                return epoll.isChangingThreadSupported();
            }
        };
    }

    private static final class Handler extends Passing.Handler {
        /** How often events were waited for. */
        private long turn;

        Handler(IoHandler epoll) {
            super(epoll);
        }

        @Override
        public int run(IoHandlerContext context) {
            turn++;
            return super.run(context);
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return new Registration(super.register(new Told((EpollIoHandle) handle)));
        }

        /** Is told of its channel's events. */
        @SuppressWarnings("try") // Closed by Netty, never as a resource.
        private final class Told extends Passing.Handle implements EpollIoHandle {
            private final EpollIoHandle channel;
            private final long registeredTurn = turn;

            Told(EpollIoHandle channel) {
                super(channel);
                this.channel = channel;
            }

            @Override
            public FileDescriptor fd() {
                return channel.fd();
            }

            @Override
            public void handle(IoRegistration registration, IoEvent event) {
                if (turn != registeredTurn) {
                    super.handle(registration, event);
                }
            }
        }
    }

    private static final class Registration extends Passing.Registration {
        private boolean added;

        Registration(IoRegistration epoll) {
            super(epoll);
        }

        @Override
        public long submit(IoOps ops) {
            boolean nothing = EpollIoOps.NONE.equals(ops);
            added |= !nothing;
            return super.submit(added && nothing ? EpollIoOps.EPOLLET : ops);
        }
    }
}
