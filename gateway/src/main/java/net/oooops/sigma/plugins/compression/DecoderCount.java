package net.oooops.sigma.plugins.compression;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.api.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * How many bodies are unpacked, and how much their decoders may come to hold: of each client, and of all.
 *
 * <p>Safe for use from any thread. What is refused isn't added, not even for a moment.
 */
final class DecoderCount {
    /** Of an address of IPv6: a client has all that begin so. */
    private static final int CLIENT_BITS = 64;

    private static final Held NOTHING = new Held(0, 0);
    private static final Places.Most ANY = new Places.Most(Integer.MAX_VALUE, Long.MAX_VALUE);

    /** What there is of a client, or of all. */
    record Held(int bodies, long bytes) {
        private Held plus(Held more) {
            return new Held(bodies + more.bodies, bytes + more.bytes);
        }

        /** Whether there is no room for so much more: the first is let in however much it is. */
        private boolean isTooMuch(Held more, Places.Most most) {
            return bodies > 0 && (bodies + more.bodies > most.bodies() || bytes + more.bytes > most.bytes());
        }
    }

    private final AtomicReference<Held> all = new AtomicReference<>(NOTHING);
    private final ConcurrentHashMap<IpAddress, Held> byClient = new ConcurrentHashMap<>();

    /**
     * Adds so much of that client, where there is room: with the client first, so that who has his share takes nothing from others.
     *
     * @param beside what counts besides; null: nothing
     */
    Places.Admission add(IpAddress from, Held more, Places.Load load, @Nullable DecoderCount beside) {
        IpAddress client = from.network(CLIENT_BITS);
        if (!addOfClient(client, more, load.isOfOne() ? ANY : load.perClient(), beside)) {
            return Places.Admission.CLIENT_BUSY;
        }
        if (!addToAll(more, load.most(), beside)) {
            removeOfClient(client, more);
            return Places.Admission.BUSY;
        }
        return Places.Admission.ADMITTED;
    }

    private boolean addOfClient(IpAddress client, Held more, Places.Most most, @Nullable DecoderCount beside) {
        Held others = beside == null ? NOTHING : beside.byClient.getOrDefault(client, NOTHING);
        while (true) {
            Held held = byClient.get(client);
            if (others.plus(held == null ? NOTHING : held).isTooMuch(more, most)) {
                return false;
            }
            boolean added = held == null
                    ? byClient.putIfAbsent(client, more) == null
                    : byClient.replace(client, held, held.plus(more));
            if (added) {
                return true;
            }
        }
    }

    private boolean addToAll(Held more, Places.Most most, @Nullable DecoderCount beside) {
        Held others = beside == null ? NOTHING : beside.all.get();
        while (true) {
            Held held = all.get();
            if (others.plus(held).isTooMuch(more, most)) {
                return false;
            }
            if (all.compareAndSet(held, held.plus(more))) {
                return true;
            }
        }
    }

    /** So much of that client, or a part of what was added, is over. */
    void remove(IpAddress from, Held less) {
        all.accumulateAndGet(negative(less), Held::plus);
        removeOfClient(from.network(CLIENT_BITS), less);
    }

    private void removeOfClient(IpAddress client, Held less) {
        byClient.computeIfPresent(
                client, (each, held) -> held.bodies == less.bodies ? null : held.plus(negative(less)));
    }

    private static Held negative(Held of) {
        return new Held(-of.bodies, -of.bytes);
    }
}
