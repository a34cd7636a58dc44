package net.oooops.sigma.upstream;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Resolves host names for one Worker: the hosts file, then DNS, answers kept for their TTL. Made ready when the first name is
 * asked for: a gateway whose nodes are all addresses needs none.
 *
 * <p>Called on the Worker's event loop only.
 */
public final class NameResolution implements AutoCloseable {
    private final EventLoop loop;
    private final ChannelFactory<DatagramChannel> channels;
    private @Nullable DnsNameResolver resolver;

    /**
     * @param loop the Worker's event loop
     * @param channels makes the sockets to DNS servers
     */
    public NameResolution(EventLoop loop, ChannelFactory<DatagramChannel> channels) {
        this.loop = loop;
        this.channels = channels;
    }

    /** The addresses of {@code host}, at least one where it succeeds. */
    Future<List<InetAddress>> resolve(String host) {
        DnsNameResolver ready = resolver;
        if (ready == null) {
            ready = new DnsNameResolverBuilder(loop)
                    .datagramChannelFactory(channels)
                    .build();
            resolver = ready;
        }
        return ready.resolveAll(host);
    }

    @Override
    public void close() {
        if (resolver != null) {
            resolver.close();
        }
    }
}
