package net.oooops.sigma.listen;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import net.oooops.sigma.config.RuntimeConfig;

/** What {@code runtime} says of sockets and their buffers, the same for both sides. */
public final class SocketOptions {
    private final RuntimeConfig runtime;
    private final ByteBufAllocator allocator;

    /** The options of this {@code runtime}. */
    public SocketOptions(RuntimeConfig runtime) {
        this.runtime = runtime;
        this.allocator = switch (runtime.allocator()) {
            case ADAPTIVE -> new AdaptiveByteBufAllocator(true);
            case POOLED -> PooledByteBufAllocator.DEFAULT;
            case UNPOOLED -> UnpooledByteBufAllocator.DEFAULT;
        };
    }

    /**
     * Applies them to accepted connections.
     *
     * @param inheritNoDelay whether they have what the socket that listens has of that option
     */
    void applyTo(ServerBootstrap server, boolean inheritNoDelay) {
        if (inheritNoDelay) {
            server.option(ChannelOption.TCP_NODELAY, true);
        } else {
            server.childOption(ChannelOption.TCP_NODELAY, true);
        }
        server.childOption(ChannelOption.ALLOCATOR, allocator);
        if (runtime.receiveBufferBytes() > 0) {
            server.childOption(ChannelOption.SO_RCVBUF, runtime.receiveBufferBytes());
        }
        if (runtime.sendBufferBytes() > 0) {
            server.childOption(ChannelOption.SO_SNDBUF, runtime.sendBufferBytes());
        }
    }

    /** Applies them to connections to nodes. */
    public void applyTo(Bootstrap client) {
        client.option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.ALLOCATOR, allocator);
        if (runtime.receiveBufferBytes() > 0) {
            client.option(ChannelOption.SO_RCVBUF, runtime.receiveBufferBytes());
        }
        if (runtime.sendBufferBytes() > 0) {
            client.option(ChannelOption.SO_SNDBUF, runtime.sendBufferBytes());
        }
    }
}
