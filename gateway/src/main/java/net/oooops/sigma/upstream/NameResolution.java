package net.oooops.sigma.upstream;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.DnsConfig;
import net.oooops.sigma.memory.Descriptors;
import org.jspecify.annotations.Nullable;

/**
 * Resolves names for one Worker, or for what runs beside them. Host names: the hosts file, then DNS, answers kept for their TTL.
 * SrvWatches: DNS, nothing kept. Made ready when the first name is asked for: a gateway whose nodes are all addresses needs none.
 *
 * <p>Called on its event loop only.
 */
public final class NameResolution implements AutoCloseable {
    private final EventLoop loop;
    private final Sockets sockets;
    private final Settings settings;
    private final NameOutages outages;
    private final LastAnswers last;
    private @Nullable DnsNameResolver resolver;

    /**
     * What makes the sockets to name servers.
     *
     * @param datagrams for all questions
     * @param connections for those whose answer is cut to fit into a datagram (RFC 7766)
     */
    public record Sockets(ChannelFactory<DatagramChannel> datagrams, ChannelFactory<SocketChannel> connections) {
        /** Java's own, which work everywhere. */
        public static final Sockets NIO = new Sockets(NioDatagramChannel::new, NioSocketChannel::new);
    }

    /**
     * Who is asked, and how.
     *
     * @param timeoutNanos for each question to a name server
     * @param ttlSecondsMin whatever an answer says, failure or TTL 0: the next question waits that long, or each request would be one
     * @param ttlSecondsMax whatever an answer says: it is asked for again then
     * @param absentNanosMax how long an address that answers no longer have is still the name's, for connections that are there: names
     *     with many addresses are answered with some of them, others each time
     * @param servers which name servers are asked, null for those of the system
     */
    public record Settings(
            long timeoutNanos,
            int ttlSecondsMin,
            int ttlSecondsMax,
            long absentNanosMax,
            @Nullable DnsServerAddressStreamProvider servers) {
        private static final long ABSENT_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

        /**
         * As sigma.json says.
         *
         * @param timeoutNanosOtherwise where it says nothing of that
         */
        public static Settings of(DnsConfig config, long timeoutNanosOtherwise) {
            InetSocketAddress[] servers = config.servers().stream()
                    .map(server -> new InetSocketAddress(server.address(), server.port()))
                    .toArray(InetSocketAddress[]::new);
            return new Settings(
                    config.timeoutNanos() == 0 ? timeoutNanosOtherwise : config.timeoutNanos(),
                    config.ttlSecondsMin(),
                    config.ttlSecondsMax(),
                    ABSENT_NANOS_MAX,
                    servers.length == 0 ? null : new SequentialDnsServerAddressStreamProvider(servers));
        }
    }

    /**
     * The SRV records of a service.
     *
     * @param ttlSeconds the least of them
     */
    public record SrvAnswer(List<SrvRecord> records, long ttlSeconds) {
        public SrvAnswer {
            records = List.copyOf(records);
        }
    }

    /**
     * @param loop the event loop of who asks
     * @param outages told which names there is no answer for
     * @param last told which answers there are, and asked where there is none
     */
    public NameResolution(EventLoop loop, Sockets sockets, Settings settings, NameOutages outages, LastAnswers last) {
        this.loop = loop;
        this.sockets = sockets;
        this.settings = settings;
        this.outages = outages;
        this.last = last;
    }

    /** Its event loop. */
    public EventLoop loop() {
        return loop;
    }

    /** How long it takes to the next question where there was no answer. */
    long pauseNanos() {
        return TimeUnit.SECONDS.toNanos(settings.ttlSecondsMin());
    }

    long absentNanosMax() {
        return settings.absentNanosMax();
    }

    NameOutages outages() {
        return outages;
    }

    /** What name servers have said last, whoever asked them. */
    public LastAnswers last() {
        return last;
    }

    /** The addresses of {@code host}, at least one where it succeeds. */
    Future<List<InetAddress>> resolve(String host) {
        DnsNameResolver ready = ready();
        Future<List<InetAddress>> resolved = ready.resolveAll(host);
        watch(ready, resolved);
        return resolved;
    }

    /** The records of a service, at least one where it succeeds. */
    public Future<SrvAnswer> srv(String name) {
        DnsNameResolver ready = ready();
        Future<List<DnsRecord>> resolved = ready.resolveAll(new DefaultDnsQuestion(name + ".", DnsRecordType.SRV));
        watch(ready, resolved);
        Promise<SrvAnswer> srv = loop.newPromise();
        resolved.addListener((Future<List<DnsRecord>> done) -> {
            if (done.isSuccess()) {
                srv.setSuccess(taken(done.getNow()));
            } else {
                srv.setFailure(done.cause());
            }
        });
        return srv;
    }

    private static SrvAnswer taken(List<DnsRecord> answer) {
        try {
            long ttlSeconds = Integer.MAX_VALUE;
            for (DnsRecord each : answer) {
                ttlSeconds = Math.min(ttlSeconds, each.timeToLive());
            }
            return new SrvAnswer(SrvRecord.of(answer), ttlSeconds);
        } finally {
            answer.forEach(ReferenceCountUtil::release);
        }
    }

    /** What a question came to nothing for, in words for an operator. */
    public static String why(@Nullable Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (DnsNameResolver.isTimeoutError(at)) {
                return "no answer in time";
            }
            if (at instanceof DnsErrorCauseException error) {
                return error.getCode().toString();
            }
        }
        Throwable cause = failure == null ? null : failure.getCause();
        // Netty tells no more of an answer without records, or of one that is an error other than the two above.
        return cause == null ? "refused, or an empty answer" : String.valueOf(cause.getMessage());
    }

    /** A question for a service came to nothing; as {@link NameOutages#failed}. */
    public void failed(String name, String why, long askedNanos, boolean known) {
        outages.failed(name, why, askedNanos, known);
    }

    /** A service that had failed is answered. */
    public void answered(String name) {
        outages.answered(name);
    }

    /** A service that had failed is of no interest any more. */
    public void forgotten(String name) {
        outages.forget(name);
    }

    private DnsNameResolver ready() {
        DnsNameResolver ready = resolver;
        if (ready == null) {
            ready = make();
            resolver = ready;
        }
        return ready;
    }

    private void watch(DnsNameResolver ready, Future<?> resolved) {
        if (!resolved.isSuccess()) {
            resolved.addListener(done -> lookAt(ready, done.cause()));
        }
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

    /** Half of the time: then what the datagram had is taken. Netty gives a connection as long as the whole question, which has failed by then. */
    private ChannelFactory<SocketChannel> briefly(ChannelFactory<? extends SocketChannel> connections) {
        return () -> {
            SocketChannel channel = connections.newChannel();
            loop.schedule(() -> channel.close(), settings.timeoutNanos() / 2, TimeUnit.NANOSECONDS);
            return channel;
        };
    }

    private DnsNameResolver make() {
        DnsNameResolverBuilder builder = new DnsNameResolverBuilder(loop)
                .datagramChannelFactory(sockets.datagrams())
                .socketChannelFactory(briefly(sockets.connections()))
                .queryTimeoutMillis(Math.max(1, TimeUnit.NANOSECONDS.toMillis(settings.timeoutNanos())))
                .ttl(settings.ttlSecondsMin(), settings.ttlSecondsMax())
                .negativeTtl(settings.ttlSecondsMin());
        return settings.servers() == null
                ? builder.build()
                : builder.nameServerProvider(settings.servers()).build();
    }

    @Override
    public void close() {
        if (resolver != null) {
            resolver.close();
        }
    }
}
