package net.oooops.sigma.names;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.DnsConfig;
import org.jspecify.annotations.Nullable;

/**
 * Names, as those of one event loop have them: a Worker, or what runs beside them. Who asks name servers, for all of them, is the {@link
 * NameAsker}.
 *
 * <p>Called on its event loop only.
 */
public final class NameResolution {
    private final EventLoop loop;
    private final NameAsker asker;

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

    /** @param loop the event loop of who asks */
    public NameResolution(EventLoop loop, NameAsker asker) {
        this.loop = loop;
        this.asker = asker;
    }

    /** Its event loop. */
    public EventLoop loop() {
        return loop;
    }

    /** What name servers have said last, whoever asked them. */
    public LastAnswers last() {
        return asker.last();
    }

    /** A host name, to be left when it is used no longer. */
    HostName use(String host) {
        return asker.use(host);
    }

    /** The records of a service, at least one where it succeeds; nothing of it is kept. */
    public Future<SrvAnswer> srv(String name) {
        Promise<SrvAnswer> answer = loop.newPromise();
        asker.srv(name, answer);
        return answer;
    }

    /** Whether a question came to nothing because name servers didn't answer in time. */
    static boolean isLate(@Nullable Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (DnsNameResolver.isTimeoutError(at)) {
                return true;
            }
        }
        return false;
    }

    /** What a question came to nothing for, in words for an operator. */
    public static String why(@Nullable Throwable failure) {
        if (isLate(failure)) {
            return "no answer in time";
        }
        for (Throwable at = failure; at != null; at = at.getCause()) {
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
        asker.outages().failed(name, why, askedNanos, known);
    }

    /** A service that had failed is answered. */
    public void answered(String name) {
        asker.outages().answered(name);
    }

    /** A service that had failed is of no interest any more. */
    public void forgotten(String name) {
        asker.outages().forget(name);
    }
}
