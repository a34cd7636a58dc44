package net.oooops.sigma.names;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The addresses of a host name, and those that it had a short while ago. Never changed: another answer makes another one. Any thread. */
final class KnownAddresses {
    static final KnownAddresses NONE = new KnownAddresses(List.of(), Set.of(), Map.of(), 0);

    private final List<InetAddress> all;
    /** The same: there may be thousands. */
    private final Set<InetAddress> set;
    /** Those that the last answers didn't have, and since when. */
    private final Map<InetAddress, Long> absent;

    private final int losses;

    private KnownAddresses(List<InetAddress> all, Set<InetAddress> set, Map<InetAddress, Long> absent, int losses) {
        this.all = all;
        this.set = set;
        this.absent = absent;
        this.losses = losses;
    }

    /** All of them. */
    List<InetAddress> all() {
        return all;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** How many answers so far were without an address of the one before: where that is the same, no address is one of the past. */
    int losses() {
        return losses;
    }

    /** Whether the name leads there, or did so a short while ago. */
    boolean has(InetAddress address, long absentNanosMax) {
        if (set.contains(address)) {
            return true;
        }
        Long since = absent.get(address);
        return since != null && System.nanoTime() - since < absentNanosMax;
    }

    /** After an answer with those; this one where they are the same, in whichever order. */
    KnownAddresses next(List<InetAddress> now, long nowNanos, long absentNanosMax) {
        Set<InetAddress> others = new HashSet<>(now);
        if (others.equals(set)) {
            return this;
        }
        Map<InetAddress, Long> gone = new HashMap<>(absent);
        gone.values().removeIf(since -> nowNanos - since >= absentNanosMax);
        int lost = 0;
        for (InetAddress each : all) {
            if (!others.contains(each)) {
                gone.put(each, nowNanos);
                lost = 1;
            }
        }
        gone.keySet().removeAll(others);
        List<InetAddress> each = List.copyOf(others.size() == now.size() ? now : others);
        return new KnownAddresses(each, others, gone, losses + lost);
    }
}
