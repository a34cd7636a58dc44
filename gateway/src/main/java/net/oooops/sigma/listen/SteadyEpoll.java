package net.oooops.sigma.listen;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.transport.Transport;

/**
 * Vert.x's epoll transport, whose connections stay known to epoll.
 *
 * <p>A connection that has ended its input and waits for nothing is taken out of epoll's set by Netty 4.2.18, which forgets that it
 * was: where it has to wait for room to write later, that fails, and so does the connection. Here such a connection stays in the
 * set, edge-triggered and for nothing, which costs no event.
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

    private record Handler(IoHandler epoll) implements IoHandler {
        @Override
        public void initialize() {
            epoll.initialize();
        }

        @Override
        public int run(IoHandlerContext context) {
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
            return new Registration(epoll.register(handle));
        }

        @Override
        public void wakeup() {
            epoll.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return epoll.isCompatible(handleType);
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
