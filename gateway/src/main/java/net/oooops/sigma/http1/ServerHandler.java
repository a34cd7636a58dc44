package net.oooops.sigma.http1;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.kqueue.KQueueSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import net.oooops.sigma.epoll.LeanSocketChannel;
import net.oooops.sigma.http.DownstreamConnection;
import net.oooops.sigma.http.HttpServer;
import net.oooops.sigma.http.Lifetime;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.tls.SecureEnd;
import org.jspecify.annotations.Nullable;

/**
 * What a client's connection has, in whatever state it is: both ways, the exchange under way, and what it is asked about them.
 *
 * <p>Called on the connection's event loop only.
 */
abstract class ServerHandler extends ChannelInboundHandlerAdapter implements DownstreamConnection {
    final HttpServer server;
    final Channel channel;
    final Outlet outlet;
    final RequestInput input;
    final RequestReader reader;
    final Lifetime lifetime;

    /** The one that is under way. */
    @Nullable ServerExchange exchange;

    private @Nullable Object attachment;

    ServerHandler(HttpServer server, Channel channel) {
        this.server = server;
        this.channel = channel;
        this.outlet = new Outlet(channel, server.memory(), server.limits().writeBufferBytesMax());
        this.input = new RequestInput(channel, server.memory(), server.limits().pipelineBytesMax());
        this.reader = new RequestReader(server.limits());
        this.lifetime = new Lifetime(server);
    }

    @Override
    public final Channel channel() {
        return channel;
    }

    /** The exchange that is under way, or null. */
    final @Nullable ServerExchange exchange() {
        return exchange;
    }

    /** What was received. */
    final RequestInput input() {
        return input;
    }

    /** Whether the kernel can send files on it: it isn't encrypted, and its transport knows how. */
    final boolean sendsFiles() {
        boolean known = channel instanceof LeanSocketChannel
                || channel instanceof NioSocketChannel
                || channel instanceof KQueueSocketChannel;
        return known && !SecureEnd.isSecure(channel);
    }

    @Override
    public final @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public final void attach(Object kept) {
        attachment = kept;
    }

    /** The trailers of the request, or null; known once it is complete. */
    final @Nullable Trailers requestTrailers() {
        return reader.trailers();
    }

    /** The exchange is over. */
    final void dropTrailers() {
        reader.dropTrailers();
    }

    @Override
    public final long waitingBytes() {
        ServerExchange current = exchange;
        long here = input.bytes() + RelayMemory.waitingOn(channel);
        return current == null ? here : here + current.waitingBytes();
    }

    @Override
    public final void onMemoryShort() {
        ServerExchange current = exchange;
        if (current != null) {
            current.onMemoryShort();
        }
        RelayMemory.restartRead(channel);
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Most likely a reset, or a write that failed.
        threw(cause);
    }

    /** The connection is done; closing it tells the exchange. */
    final void threw(Throwable cause) {
        server.onThrown(cause);
        SecureEnd.close(channel);
    }
}
