package net.oooops.sigma.names;

import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.resolver.dns.DnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopAuthoritativeDnsServerCache;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.IDN;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.names.NameResolution.Settings;
import net.oooops.sigma.names.NameResolution.Sockets;
import org.jspecify.annotations.Nullable;

/**
 * One socket to name servers, and others for what is asked once more; and the questions that are under way over them. Host names: the hosts
 * file, then DNS, with the search domains of the system.
 *
 * <p>Netty's resolver keeps nothing here. What it would keep it is told of by name, each address with its TTL, and that may be the name
 * with a search domain behind it. So no two questions may be under way of which one name is the beginning of the other:
 * {@link #isAskingLike}.
 *
 * <p>Called on its event loop only; so are those who ask.
 */
final class NameQuestions {
    /** Is told what became of a question for a host name. */
    interface Outcome {
        /** The addresses: at least one. */
        void onAddresses(List<InetAddress> addresses, Manner manner);

        /** There is none. */
        void onNone(Throwable cause);
    }

    /**
     * How an answer came.
     *
     * @param ttlSeconds the least of the addresses, of which nothing may be known: 0
     * @param real whether a name server was asked: else the hosts file has it
     * @param last whether there is no more to come
     */
    record Manner(long ttlSeconds, boolean real, boolean last) {}

    /** So long the addresses of one family wait for those of the other (RFC 8305 section 3). */
    static final long OTHER_FAMILY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final EventLoop loop;
    private final Sockets sockets;
    private final Settings settings;
    private final ServerOrder servers;
    /** By the number of the try. */
    private final @Nullable DnsNameResolver[] resolvers = new DnsNameResolver[ServerOrder.TRIES];
    /** By names, without a dot at their end. */
    private final NavigableMap<String, HostQuestion> underWay = new TreeMap<>();

    private int openCount;
    private boolean retired;
    private boolean closed;
    private boolean broken;

    /** @param servers what is known of the name servers, by all that ask them */
    NameQuestions(EventLoop loop, Sockets sockets, Settings settings, ServerOrder servers) {
        this.loop = loop;
        this.sockets = sockets;
        this.settings = settings;
        this.servers = servers;
        resolver(0);
    }

    /** Tries of another number ask other name servers, and each has a socket of its own, opened where there is such a try. */
    private DnsNameResolver resolver(int number) {
        DnsNameResolver there = resolvers[number];
        if (there != null) {
            return there;
        }
        if (closed) {
            throw new RejectedExecutionException("nobody is asked any more");
        }
        DnsNameResolver made = new DnsNameResolverBuilder(loop)
                .datagramChannelFactory(sockets.datagrams())
                .socketChannelFactory(briefly(sockets.connections()))
                .queryTimeoutMillis(Math.max(1, TimeUnit.NANOSECONDS.toMillis(settings.timeoutNanos())))
                .resolveCache(new Hearing())
                .cnameCache(NoopDnsCnameCache.INSTANCE)
                .authoritativeDnsServerCache(NoopAuthoritativeDnsServerCache.INSTANCE)
                // Else only one family is told, and the other one comes by what is kept.
                .completeOncePreferredResolved(false)
                .nameServerProvider(servers.ofTry(number))
                .dnsQueryLifecycleObserverFactory(_ -> servers.watching())
                .build();
        resolvers[number] = made;
        return made;
    }

    /** Half of the time: then what the datagram had is taken. Netty gives a connection as long as the whole question, which has failed by then. */
    private ChannelFactory<SocketChannel> briefly(ChannelFactory<? extends SocketChannel> connections) {
        return () -> {
            SocketChannel channel = connections.newChannel();
            loop.schedule(() -> channel.close(), settings.timeoutNanos() / 2, TimeUnit.NANOSECONDS);
            return channel;
        };
    }

    /** Whether it asks as that says, and can. */
    @SuppressWarnings("ReferenceEquality") // What was said anew is another object.
    boolean isOf(Settings now) {
        return settings == now && !broken;
    }

    /** Whether a question is under way whose name is that one, or one of both is the beginning of the other. */
    boolean isAskingLike(String host) {
        String name = name(host);
        String below = underWay.ceilingKey(name + '.');
        return (below != null && below.startsWith(name + '.')) || question(name) != null;
    }

    boolean isIdle() {
        return openCount == 0;
    }

    /** The question for that name, or for a beginning of it. */
    private @Nullable HostQuestion question(String name) {
        String beginning = name;
        HostQuestion found = underWay.get(beginning);
        while (found == null && !beginning.isEmpty()) {
            beginning = beginning.substring(0, Math.max(0, beginning.lastIndexOf('.')));
            found = underWay.get(beginning);
        }
        return found;
    }

    private static String name(String host) {
        String name = host;
        try {
            name = IDN.toASCII(host);
        } catch (IllegalArgumentException _) {
            // Netty says so.
        }
        name = name.toLowerCase(Locale.ROOT);
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    /** Asks for the addresses of a host. */
    void ask(String host, Outcome outcome) {
        HostQuestion question = new HostQuestion(host, outcome);
        underWay.put(question.name, question);
        begin(question);
        retryServers(question.name);
    }

    /** Asks for the records of a service; they are to be released. */
    Future<List<DnsRecord>> srv(String name) {
        SrvQuestion question = new SrvQuestion(name);
        begin(question);
        retryServers(name);
        return question.answer;
    }

    private void begin(Asked<?> question) {
        openCount++;
        try {
            question.begin();
        } catch (RuntimeException | Error e) {
            failed(e);
            question.onOver();
            throw e;
        }
    }

    /** Whoever was silent is asked as well, to find out whether it still is. */
    private void retryServers(String name) {
        for (InetSocketAddress each : servers.retried()) {
            try {
                retry(each, name);
            } catch (RuntimeException | Error _) {
                // The question itself goes on; this one's turn comes again.
            }
        }
    }

    private void retry(InetSocketAddress server, String name) {
        long askedNanos = servers.nowNanos();
        resolver(0)
                .query(server, new DefaultDnsQuestion(name, DnsRecordType.A))
                .addListener((Future<AddressedEnvelope<DnsResponse, InetSocketAddress>> done) -> {
                    if (done.isSuccess()) {
                        done.getNow().release();
                        servers.answered(server, askedNanos);
                    }
                });
    }

    private void failed(@Nullable Throwable failure) {
        // A resolver whose socket couldn't be opened never opens one.
        broken |= Descriptors.areOut(failure);
    }

    private void over() {
        openCount--;
        if (openCount == 0) {
            closed = retired;
            closeFrom(retired ? 0 : 1);
        }
    }

    /** Nothing more is asked over it: it closes when the last question is over. */
    void retire() {
        retired = true;
        closed = openCount == 0;
        if (closed) {
            closeFrom(0);
        }
    }

    /** What is under way comes to nothing. */
    void close() {
        closed = true;
        closeFrom(0);
    }

    /** Sockets for further tries are of use for the questions that needed them. */
    private void closeFrom(int number) {
        for (int i = number; i < resolvers.length; i++) {
            DnsNameResolver each = resolvers[i];
            resolvers[i] = null;
            try {
                if (each != null) {
                    each.close();
                }
            } catch (IllegalStateException _) {
                // Its socket belongs to no event loop, since there is none.
            }
        }
    }

    /** A question, and whom it was asked first. */
    private abstract class Asked<T> extends Tries<T> {
        private final InetSocketAddress first;
        private final long askedNanos = servers.nowNanos();

        private Asked(String name) {
            super(loop, servers.pauseNanos());
            this.first = servers.asked(name, 0).getFirst();
        }

        @Override
        final void onEnd(@Nullable Throwable failure) {
            failed(failure);
        }

        @Override
        final void decide(int number, Future<List<T>> done) {
            try {
                if (number > 0) {
                    servers.unanswered(first, askedNanos);
                }
            } finally {
                tell(done);
            }
        }

        abstract void tell(Future<List<T>> done);

        @Override
        void onOver() {
            over();
        }
    }

    /** A question for a host name. */
    private final class HostQuestion extends Asked<InetAddress> {
        private final String host;
        private final String name;
        private final Outcome outcome;
        private final Set<InetAddress> heard = new LinkedHashSet<>();
        private long ttlSeconds = Long.MAX_VALUE;
        private boolean real;
        private @Nullable ScheduledFuture<?> waiting;

        private HostQuestion(String host, Outcome outcome) {
            super(host);
            this.host = host;
            this.name = name(host);
            this.outcome = outcome;
        }

        @Override
        Future<List<InetAddress>> ask(int number) {
            Future<List<InetAddress>> asked = resolver(number).resolveAll(host);
            real |= !asked.isDone();
            return asked;
        }

        private void hear(InetAddress address, long seconds) {
            if (isDecided()) {
                return;
            }
            heard.add(address);
            ttlSeconds = Math.min(ttlSeconds, seconds);
            if (waiting == null) {
                waiting = loop.schedule(this::tellHeard, OTHER_FAMILY_NANOS, TimeUnit.NANOSECONDS);
            }
        }

        private void tellHeard() {
            outcome.onAddresses(List.copyOf(heard), new Manner(ttlSeconds, true, false));
        }

        @Override
        boolean isAnsweredInPart() {
            return !heard.isEmpty();
        }

        @Override
        void tell(Future<List<InetAddress>> done) {
            if (waiting != null) {
                waiting.cancel(false);
            }
            // One family may be there, and the other one's question have come to nothing.
            List<InetAddress> addresses = done.isSuccess() ? done.getNow() : List.copyOf(heard);
            if (addresses.isEmpty()) {
                Throwable cause = done.cause();
                outcome.onNone(cause == null ? new UnknownHostException(name) : cause);
            } else {
                outcome.onAddresses(addresses, new Manner(heard.isEmpty() ? 0 : ttlSeconds, real, true));
            }
        }

        @Override
        void drop(Future<List<InetAddress>> late) {}

        @Override
        void onOver() {
            underWay.remove(name, this);
            super.onOver();
        }
    }

    /** A question for a service. */
    private final class SrvQuestion extends Asked<DnsRecord> {
        private final String name;
        private final Promise<List<DnsRecord>> answer = loop.newPromise();

        private SrvQuestion(String name) {
            super(name);
            this.name = name;
        }

        @Override
        Future<List<DnsRecord>> ask(int number) {
            return resolver(number).resolveAll(new DefaultDnsQuestion(name + ".", DnsRecordType.SRV));
        }

        @Override
        boolean isAnsweredInPart() {
            return false;
        }

        @Override
        void tell(Future<List<DnsRecord>> done) {
            if (done.isSuccess()) {
                answer.setSuccess(done.getNow());
            } else {
                answer.setFailure(done.cause());
            }
        }

        @Override
        void drop(Future<List<DnsRecord>> late) {
            if (late.isSuccess()) {
                late.getNow().forEach(ReferenceCountUtil::release);
            }
        }
    }

    /** Stands where Netty would keep answers: keeps none, and tells the questions. */
    private final class Hearing implements DnsCache {
        @Override
        public void clear() {}

        @Override
        public boolean clear(String hostname) {
            return false;
        }

        @Override
        public List<? extends DnsCacheEntry> get(String hostname, DnsRecord[] additionals) {
            return List.of();
        }

        @Override
        public DnsCacheEntry cache(
                String hostname, DnsRecord[] additionals, InetAddress address, long ttlSeconds, EventLoop on) {
            HostQuestion question = question(name(hostname));
            if (question != null) {
                question.hear(address, ttlSeconds);
            }
            return NoopDnsCache.INSTANCE.cache(hostname, additionals, address, ttlSeconds, on);
        }

        @Override
        public DnsCacheEntry cache(String hostname, DnsRecord[] additionals, Throwable cause, EventLoop on) {
            return NoopDnsCache.INSTANCE.cache(hostname, additionals, cause, on);
        }
    }
}
