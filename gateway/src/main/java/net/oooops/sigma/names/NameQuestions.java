package net.oooops.sigma.names;

import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.resolver.dns.DnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopAuthoritativeDnsServerCache;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.IDN;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.names.NameResolution.Settings;
import net.oooops.sigma.names.NameResolution.Sockets;
import org.jspecify.annotations.Nullable;

/**
 * One socket to name servers, and the questions that are under way over it. Host names: the hosts file, then DNS, with the search
 * domains of the system.
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
    private final Settings settings;
    private final DnsNameResolver resolver;
    /** By names, without a dot at their end. */
    private final NavigableMap<String, Question> underWay = new TreeMap<>();

    private int openCount;
    private boolean retired;
    private boolean broken;

    NameQuestions(EventLoop loop, Sockets sockets, Settings settings) {
        this.loop = loop;
        this.settings = settings;
        DnsNameResolverBuilder builder = new DnsNameResolverBuilder(loop)
                .datagramChannelFactory(sockets.datagrams())
                .socketChannelFactory(briefly(sockets.connections()))
                .queryTimeoutMillis(Math.max(1, TimeUnit.NANOSECONDS.toMillis(settings.timeoutNanos())))
                .resolveCache(new Hearing())
                .cnameCache(NoopDnsCnameCache.INSTANCE)
                .authoritativeDnsServerCache(NoopAuthoritativeDnsServerCache.INSTANCE)
                // Else only one family is told, and the other one comes by what is kept.
                .completeOncePreferredResolved(false);
        this.resolver = settings.servers() == null
                ? builder.build()
                : builder.nameServerProvider(settings.servers()).build();
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

    /** The question for that name, or for a beginning of it. */
    private @Nullable Question question(String name) {
        String beginning = name;
        Question found = underWay.get(beginning);
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
        Question question = new Question(name(host), outcome);
        underWay.put(question.name, question);
        openCount++;
        Future<List<InetAddress>> resolved;
        try {
            resolved = resolver.resolveAll(host);
        } catch (RuntimeException | Error e) {
            underWay.remove(question.name);
            ended(e);
            throw e;
        }
        question.real = !resolved.isDone();
        resolved.addListener((Future<List<InetAddress>> done) -> {
            question.end(done);
            ended(done.cause());
        });
    }

    /** Asks for the records of a service; they are to be released. */
    Future<List<DnsRecord>> srv(String name) {
        openCount++;
        try {
            return resolver.resolveAll(new DefaultDnsQuestion(name + ".", DnsRecordType.SRV))
                    .addListener(done -> ended(done.cause()));
        } catch (RuntimeException | Error e) {
            ended(e);
            throw e;
        }
    }

    private void ended(@Nullable Throwable failure) {
        // A resolver whose socket couldn't be opened never opens one.
        broken |= Descriptors.areOut(failure);
        openCount--;
        if (retired && openCount == 0) {
            close();
        }
    }

    /** Nothing more is asked over it: it closes when the last question is over. */
    void retire() {
        retired = true;
        if (openCount == 0) {
            close();
        }
    }

    /** What is under way comes to nothing. */
    void close() {
        try {
            resolver.close();
        } catch (IllegalStateException _) {
            // Its socket belongs to no event loop, since there is none.
        }
    }

    /** A question for a host name. */
    private final class Question {
        private final String name;
        private final Outcome outcome;
        private final Set<InetAddress> heard = new LinkedHashSet<>();
        private long ttlSeconds = Long.MAX_VALUE;
        private boolean real;
        private @Nullable ScheduledFuture<?> waiting;

        private Question(String name, Outcome outcome) {
            this.name = name;
            this.outcome = outcome;
        }

        private void hear(InetAddress address, long seconds) {
            heard.add(address);
            ttlSeconds = Math.min(ttlSeconds, seconds);
            if (waiting == null) {
                waiting = loop.schedule(this::tellHeard, OTHER_FAMILY_NANOS, TimeUnit.NANOSECONDS);
            }
        }

        private void tellHeard() {
            outcome.onAddresses(List.copyOf(heard), new Manner(ttlSeconds, true, false));
        }

        private void end(Future<List<InetAddress>> done) {
            underWay.remove(name);
            if (waiting != null) {
                waiting.cancel(false);
            }
            List<InetAddress> addresses = done.isSuccess() ? done.getNow() : List.of();
            if (addresses.isEmpty()) {
                Throwable cause = done.cause();
                outcome.onNone(cause == null ? new UnknownHostException(name) : cause);
            } else {
                outcome.onAddresses(addresses, new Manner(heard.isEmpty() ? 0 : ttlSeconds, real, true));
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
            Question question = question(name(hostname));
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
