package net.oooops.sigma.plugins.limits;

import java.util.List;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a request while as many with the same key are under way as may be. One counts from here until its exchange ends, however it does: a tunnel
 * until it is closed.
 *
 * <p>What an exchange has entered it keeps itself, and leaves that and nothing else. An instance with other settings goes on with the same counts, so
 * that exchanges of the one before it are counted, and leave what they have entered.
 */
final class ConcurrencyLimit implements Plugin {
    /** How many keys without a request are remembered, so that one that comes again makes nothing new. */
    private static final int IDLE_MAX = 4096;

    private final KeyedBy by;
    private final Outcome refused;
    private final PluginContext.Gauge inFlight;
    private final Key<Slots> entered = Key.of(Slots.class, "concurrency-limit");
    private ByPlan<Room> rooms;

    /**
     * How many of those of a plan may be under way, and who is.
     *
     * @param max so many of each key
     */
    record Room(int max, KeyTable<Slots> table) {
        /** An empty one. */
        static Room of(int max) {
            return new Room(max, KeyTable.open(IDLE_MAX));
        }

        /** With those in it who are in that. */
        Room after(Room before) {
            return new Room(max, before.table);
        }

        /** What was entered; null where it is full. */
        @Nullable Slots enter(ShortKey key) {
            Slots slots = table.get(key);
            while (true) {
                if (slots == null) {
                    slots = table.add(key, new Slots(), 0);
                }
                if (slots != null) {
                    switch (slots.enter(max)) {
                        case YES -> {
                            return slots;
                        }
                        case FULL -> {
                            return null;
                        }
                        case FORGOTTEN -> {
                            table.remove(key, slots);
                            slots = null;
                        }
                    }
                }
            }
        }
    }

    /**
     * @param refused what those beyond get
     * @param inFlight counts those that are under way
     */
    ConcurrencyLimit(KeyedBy by, ByPlan<Room> rooms, Outcome refused, PluginContext.Gauge inFlight) {
        this.by = by;
        this.rooms = rooms;
        this.refused = refused;
        this.inFlight = inFlight;
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST.withEnd();
    }

    @Override
    public List<PathParameter> parameters() {
        return by.parameters();
    }

    /** Before the first exchange: who is under way stays counted. With other keys it can't be said what they would be counted by. */
    @Override
    public void takeOver(Plugin before) {
        if (before instanceof ConcurrencyLimit there && there.by.equals(by)) {
            rooms = rooms.after(there.rooms, Room::after);
        }
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        Slots slots = rooms.of(exchange).enter(by.of(exchange));
        if (slots == null) {
            return refused;
        }
        exchange.value(entered, slots);
        inFlight.add(1);
        return Outcome.CONTINUE;
    }

    @Override
    public void onEnd(Exchange exchange) {
        Slots slots = exchange.value(entered);
        if (slots != null) {
            exchange.value(entered, null);
            slots.leave();
            inFlight.add(-1);
        }
    }

    /** How many keys are remembered. */
    int keysCount() {
        int[] sum = {0};
        rooms.forEach(each -> sum[0] += each.table.count());
        return sum[0];
    }

    /** How many are under way in all. */
    int count() {
        int[] sum = {0};
        rooms.forEach(each -> each.table.forEach((key, slots) -> sum[0] += slots.count()));
        return sum[0];
    }
}
