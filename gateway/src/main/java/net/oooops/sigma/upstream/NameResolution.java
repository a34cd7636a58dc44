package net.oooops.sigma.upstream;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.memory.Descriptors;
import org.jspecify.annotations.Nullable;

/**
 * Resolves host names for one Worker, or for active checks: the hosts file, then DNS, answers kept for their TTL. Made ready when the
 * first name is asked for: a gateway whose nodes are all addresses needs none.
 *
 * <p>Called on its event loop only.
 */
public final class NameResolution implements AutoCloseable {
    /** Whatever an answer says, failure or TTL 0: the next question waits that long, or each request would be one. */
    private static final int KEPT_SECONDS_MIN = 1;

    private final EventLoop loop;
    private final ChannelFactory<DatagramChannel> channels;
    private final long timeoutNanos;
    private final @Nullable DnsServerAddressStreamProvider servers;
    private @Nullable DnsNameResolver resolver;

    /**
     * @param loop the event loop of who asks
     * @param channels makes the sockets to DNS servers
     * @param timeoutNanos for each question to a DNS server
     */
    public NameResolution(EventLoop loop, ChannelFactory<DatagramChannel> channels, long timeoutNanos) {
        this(loop, channels, timeoutNanos, null);
    }

    /**
     * @param loop the event loop of who asks
     * @param channels makes the sockets to DNS servers
     * @param timeoutNanos for each question to a DNS server
     * @param servers which DNS servers are asked, null for those of the system
     */
    public NameResolution(
            EventLoop loop,
            ChannelFactory<DatagramChannel> channels,
            long timeoutNanos,
            @Nullable DnsServerAddressStreamProvider servers) {
        this.loop = loop;
        this.channels = channels;
        this.timeoutNanos = timeoutNanos;
        this.servers = servers;
    }

    /** The addresses of {@code host}, at least one where it succeeds. */
    public Future<List<InetAddress>> resolve(String host) {
        if (resolver == null) {
            resolver = make();
        }
        DnsNameResolver ready = resolver;
        Future<List<InetAddress>> resolved = ready.resolveAll(host);
        if (!resolved.isSuccess()) {
            resolved.addListener(done -> lookAt(ready, done.cause()));
        }
        return resolved;
    }

    /** A resolver whose socket couldn't be opened never opens one. */
    private void lookAt(DnsNameResolver asked, @Nullable Throwable failure) {
        if (asked == resolver && Descriptors.areOut(failure)) {
            resolver = null;
            try {
                asked.close();
            } catch (IllegalStateException _) {
                // Its socket belongs to no event loop, since there is none.
            }
        }
    }

    private DnsNameResolver make() {
        DnsNameResolverBuilder builder = new DnsNameResolverBuilder(loop)
                .datagramChannelFactory(channels)
                .queryTimeoutMillis(TimeUnit.NANOSECONDS.toMillis(timeoutNanos))
                .ttl(KEPT_SECONDS_MIN, Integer.MAX_VALUE)
                .negativeTtl(KEPT_SECONDS_MIN);
        return servers == null
                ? builder.build()
                : builder.nameServerProvider(servers).build();
    }

    @Override
    public void close() {
        if (resolver != null) {
            resolver.close();
        }
    }
}
