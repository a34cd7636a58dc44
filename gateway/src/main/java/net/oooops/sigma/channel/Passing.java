package net.oooops.sigma.channel;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;

/**
 * What stands between Netty's channels and what tells them of their events: passes on all that it is asked. Who extends it changes the part that has to be
 * otherwise.
 *
 * <p>Called on one event loop only, but for {@link Handler#wakeup}, which may come from any thread.
 */
public final class Passing {
    private Passing() {}

    /** Before what waits for the events of a loop. */
    public abstract static class Handler implements IoHandler {
        private final IoHandler handler;

        /** @param handler what is asked in its place */
        protected Handler(IoHandler handler) {
            this.handler = handler;
        }

        @Override
        public void initialize() {
            handler.initialize();
        }

        @Override
        public int run(IoHandlerContext context) {
            return handler.run(context);
        }

        @Override
        public void prepareToDestroy() {
            handler.prepareToDestroy();
        }

        @Override
        public void destroy() {
            handler.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) throws Exception {
            return handler.register(handle);
        }

        @Override
        public void wakeup() {
            handler.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return handler.isCompatible(handleType);
        }
    }

    /** Before a channel, which is told of its events by it. */
    @SuppressWarnings("try") // Closed by Netty, never as a resource.
    public abstract static class Handle implements IoHandle {
        private final IoHandle channel;

        /** @param channel what is told in its place */
        protected Handle(IoHandle channel) {
            this.channel = channel;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            channel.handle(registration, event);
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

    /** Before that by which a channel asks for events. */
    public abstract static class Registration implements IoRegistration {
        private final IoRegistration registration;

        /** @param registration what is asked in its place */
        protected Registration(IoRegistration registration) {
            this.registration = registration;
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
        public <T> T attachment() {
            return registration.attachment();
        }

        @Override
        public long submit(IoOps ops) {
            return registration.submit(ops);
        }

        @Override
        public boolean isValid() {
            return registration.isValid();
        }

        @Override
        public boolean cancel() {
            return registration.cancel();
        }
    }
}
