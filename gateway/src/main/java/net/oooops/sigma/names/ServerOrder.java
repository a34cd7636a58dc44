package net.oooops.sigma.names;

import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.dns.DnsNameResolverException;
import io.netty.resolver.dns.DnsQueryLifecycleObserver;
import io.netty.resolver.dns.DnsServerAddressStream;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.DnsServerAddressStreamProviders;
import io.netty.resolver.dns.DnsServerAddresses;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.names.NameResolution.Settings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which name servers answer, and whom a question is asked: those that do, in the order in which they are written. One that didn't is left
 * out while others do, and tried beside a question now and then.
 *
 * <pre>
 *   sound ─ no answer in its time, or another one answered first ─▶ late ─ answers soon ─▶ sound
 * </pre>
 *
 * <p>Called on one event loop only.
 */
final class ServerOrder {
    /** So often a question is asked in all, while there is no answer. */
    static final int TRIES = 3;

    /** After so much of its time a question is asked once more, and an answer is no longer one that comes soon. */
    private static final int PART = 4;

    /** So long a late one isn't tried again. */
    static final long RETRIED_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** So many are remembered: those of the system may change. */
    private static final int REMEMBERED_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(ServerOrder.class);

    private final Settings settings;
    private final DnsServerAddressStreamProvider servers;
    private final LongSupplier clock;
    private final Map<InetSocketAddress, Standing> standings = new HashMap<>();

    /** What is known of one. */
    private static final class Standing {
        private boolean late;
        private long triedNanos;
        private long answeredNanos;
        private boolean hasAnswered;

        private boolean hasAnsweredSince(long nanos) {
            return hasAnswered && answeredNanos - nanos >= 0;
        }
    }

    /** @param clock as {@link System#nanoTime} */
    ServerOrder(Settings settings, LongSupplier clock) {
        DnsServerAddressStreamProvider said = settings.servers();
        this.settings = settings;
        this.servers = said == null ? DnsServerAddressStreamProviders.platformDefault() : said;
        this.clock = clock;
    }

    /** Whether it is of these. */
    @SuppressWarnings("ReferenceEquality") // What was said anew is another object.
    boolean isOf(Settings now) {
        return settings == now;
    }

    /** So long a question is under way before it is asked once more. */
    long pauseNanos() {
        return settings.timeoutNanos() / PART;
    }

    long nowNanos() {
        return clock.getAsLong();
    }

    /** Whom a try asks, by its number: the first one all that answer, one after the other; each later one another of them, the last one whoever is late. */
    DnsServerAddressStreamProvider ofTry(int number) {
        return host -> DnsServerAddresses.sequential(asked(host, number)).stream();
    }

    List<InetSocketAddress> asked(String host, int number) {
        List<InetSocketAddress> sound = new ArrayList<>();
        List<InetSocketAddress> late = new ArrayList<>();
        DnsServerAddressStream all = servers.nameServerAddressStream(host);
        for (int i = 0; i < all.size(); i++) {
            InetSocketAddress each = all.next();
            (standing(each).late ? late : sound).add(each);
        }
        List<InetSocketAddress> asked = sound.isEmpty() ? late : sound;
        if (number == 0) {
            return asked;
        }
        boolean lastOfSome = number == TRIES - 1 && !sound.isEmpty() && !late.isEmpty();
        return List.of(lastOfSome ? late.getFirst() : asked.get(number % asked.size()));
    }

    private Standing standing(InetSocketAddress server) {
        if (standings.size() >= REMEMBERED_MAX && !standings.containsKey(server)) {
            standings.clear();
        }
        return standings.computeIfAbsent(server, _ -> new Standing());
    }

    /** Those that are late and to be tried now, beside others that answer. */
    List<InetSocketAddress> retried() {
        long now = nowNanos();
        List<InetSocketAddress> due = new ArrayList<>();
        boolean others = false;
        for (Map.Entry<InetSocketAddress, Standing> each : standings.entrySet()) {
            Standing standing = each.getValue();
            others |= !standing.late;
            if (standing.late && now - standing.triedNanos >= RETRIED_NANOS) {
                due.add(each.getKey());
            }
        }
        if (!others) {
            return List.of();
        }
        due.forEach(each -> standing(each).triedNanos = now);
        return due;
    }

    /** It has said something, be it that there is no answer. */
    void answered(InetSocketAddress server, long askedNanos) {
        Standing standing = standings.get(server);
        if (standing == null) {
            // Another one has named it.
            return;
        }
        long now = nowNanos();
        standing.hasAnswered = true;
        standing.answeredNanos = now;
        if (standing.late && now - askedNanos <= pauseNanos()) {
            standing.late = false;
            LOG.info("name server {}: answers again", NetUtil.toSocketAddressString(server));
        }
    }

    /** It has said nothing to what it was asked then: in its time, or before another one had answered. */
    void unanswered(InetSocketAddress server, long askedNanos) {
        Standing standing = standings.get(server);
        if (standing == null || standing.late || standing.hasAnsweredSince(askedNanos) || standings.size() == 1) {
            return;
        }
        standing.late = true;
        standing.triedNanos = nowNanos();
        LOG.warn(
                "name server {}: no answer{}",
                NetUtil.toSocketAddressString(server),
                hasSound() ? "; others are asked" : "");
    }

    private boolean hasSound() {
        return standings.values().stream().anyMatch(each -> !each.late);
    }

    /** Watches one question to one name server. */
    DnsQueryLifecycleObserver watching() {
        return new Watching();
    }

    private final class Watching implements DnsQueryLifecycleObserver {
        private @Nullable InetSocketAddress server;
        private long askedNanos;

        @Override
        public void queryWritten(InetSocketAddress dnsServerAddress, ChannelFuture future) {
            server = dnsServerAddress;
            askedNanos = nowNanos();
        }

        @Override
        public void queryCancelled(int queriesRemaining) {}

        @Override
        public DnsQueryLifecycleObserver queryRedirected(List<InetSocketAddress> nameServers) {
            querySucceed();
            return this;
        }

        @Override
        public DnsQueryLifecycleObserver queryCNAMEd(DnsQuestion cnameQuestion) {
            return this;
        }

        @Override
        public DnsQueryLifecycleObserver queryNoAnswer(DnsResponseCode code) {
            querySucceed();
            return this;
        }

        @Override
        public void queryFailed(Throwable cause) {
            InetSocketAddress asked = server;
            if (!(cause instanceof DnsNameResolverException)) {
                querySucceed();
            } else if (asked != null && !Descriptors.areOut(cause)) {
                unanswered(asked, askedNanos);
            }
        }

        @Override
        public void querySucceed() {
            InetSocketAddress asked = server;
            if (asked != null) {
                answered(asked, askedNanos);
            }
        }
    }
}
