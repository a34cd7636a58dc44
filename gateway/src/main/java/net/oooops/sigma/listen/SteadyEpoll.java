package net.oooops.sigma.listen;

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
final class SteadyEpoll extends EpollTransport implements Transport {
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

    /** Called on one event loop only. */
    private static final class Handler implements IoHandler {
        private final IoHandler epoll;
        /** How often events were waited for. */
        private long turn;

        Handler(IoHandler epoll) {
            this.epoll = epoll;
        }

        @Override
        public void initialize() {
            epoll.initialize();
        }

        @Override
        public int run(IoHandlerContext context) {
            turn++;
            return epoll.run(context);
        }

        @Override
        public void prepareToDestroy() {
            epoll.prepareToDestroy();
        }

        @Override
        public void destroy() {
            epoll.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return new Registration(epoll.register(new Told((EpollIoHandle) handle)));
        }

        @Override
        public void wakeup() {
            epoll.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return epoll.isCompatible(handleType);
        }

        /** Is told of its channel's events. */
        @SuppressWarnings("try") // Closed by Netty, never as a resource.
        private final class Told implements EpollIoHandle {
            private final EpollIoHandle channel;
            private final long registeredTurn = turn;

            Told(EpollIoHandle channel) {
                this.channel = channel;
            }

            @Override
            public FileDescriptor fd() {
                return channel.fd();
            }

            @Override
            public void handle(IoRegistration registration, IoEvent event) {
                if (turn != registeredTurn) {
                    channel.handle(registration, event);
                }
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
        }
    }

    /** Called on one event loop only. */
    private static final class Registration implements IoRegistration {
        private final IoRegistration epoll;
        private boolean added;

        Registration(IoRegistration epoll) {
            this.epoll = epoll;
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
        public <T> T attachment() {
            return epoll.attachment();
        }

        @Override
        public long submit(IoOps ops) {
            boolean nothing = EpollIoOps.NONE.equals(ops);
            added |= !nothing;
            return epoll.submit(added && nothing ? EpollIoOps.EPOLLET : ops);
        }

        @Override
        public boolean isValid() {
            return epoll.isValid();
        }

        @Override
        public boolean cancel() {
            return epoll.cancel();
        }
    }
}
