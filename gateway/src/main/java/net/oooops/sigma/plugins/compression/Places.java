package net.oooops.sigma.plugins.compression;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.PluginContext;

/**
 * How many bodies are unpacked at once, of one client and of all. A body holds its places until it has passed, as its decoders hold memory between its parts:
 * whoever sends slowly holds some for as long as he likes, but only his share.
 *
 * <p>Safe for use from any thread.
 */
final class Places {
    /**
     * So much there may be.
     *
     * @param bodies a body in several codings counts once for each
     * @param bytes which their decoders may come to hold
     */
    record Most(int bodies, long bytes) {}

    /** Whether a body may be unpacked. */
    enum Admission {
        ADMITTED,
        /** All together have too much. */
        BUSY,
        /** That client has. */
        CLIENT_BUSY
    }

    /** An address of IPv4, or the network of one of IPv6 (/64), of which a client has all. */
    private record Client(long bits, boolean ipv6) {
        static Client of(IpAddress address) {
            return new Client(address.ipv6() ? address.high() : address.low(), address.ipv6());
        }
    }

    /** What a client has. */
    private record Held(int bodies, long bytes) {
        Held plus(Held more) {
            return new Held(bodies + more.bodies, bytes + more.bytes);
        }
    }

    private final Most most;
    private final Most perClient;
    private final PluginContext.Gauge shown;
    private final AtomicInteger bodies = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final ConcurrentHashMap<Client, Held> byClient = new ConcurrentHashMap<>();

    /** @param shown how many bodies there are */
    Places(Most most, Most perClient, PluginContext.Gauge shown) {
        this.most = most;
        this.perClient = perClient;
        this.shown = shown;
    }

    /**
     * Lets a body in, where there is room. Its client's first is let in however much it needs, and so is the only one there is: no setting is too small for
     * any body at all.
     *
     * @param codings how many it is in: each is to {@link #leave}
     * @param bytesMax what its decoders may come to hold
     */
    Admission enter(IpAddress from, int codings, long bytesMax) {
        shown.add(codings);
        int bodiesNow = bodies.addAndGet(codings);
        long bytesNow = bytes.addAndGet(bytesMax);
        Client client = Client.of(from);
        Held more = new Held(codings, bytesMax);
        Held held = byClient.merge(client, more, Held::plus);
        if (bodiesNow > codings && (bodiesNow > most.bodies || bytesNow > most.bytes)) {
            leave(client, codings, bytesMax);
            return Admission.BUSY;
        }
        if (!held.equals(more) && (held.bodies > perClient.bodies || held.bytes > perClient.bytes)) {
            leave(client, codings, bytesMax);
            return Admission.CLIENT_BUSY;
        }
        return Admission.ADMITTED;
    }

    /** One of the codings of a body that was let in has been unpacked, or won't be. */
    void leave(IpAddress from, long bytesMax) {
        leave(Client.of(from), 1, bytesMax);
    }

    private void leave(Client client, int codings, long bytesMax) {
        Held less = new Held(-codings, -bytesMax);
        byClient.computeIfPresent(client, (each, held) -> held.bodies == codings ? null : held.plus(less));
        bytes.addAndGet(-bytesMax);
        bodies.addAndGet(-codings);
        shown.add(-codings);
    }
}
