package net.oooops.sigma.plugins.metadata;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import org.jspecify.annotations.Nullable;

/**
 * Leaves the values of its place for whoever follows, beside those of the places before, and sends nodes those that they are to get. What
 * comes of places together is made once for each and kept: an exchange allocates nothing.
 */
final class RouteMetadata implements Plugin {
    /** How many places before are remembered: one of a proxy-pass may follow many routes. A power of two. */
    private static final int REMEMBERED = 64;

    /** What holds from here on, and the fields for what is new in it. */
    private record Together(
            @Nullable Metadata outer,
            @Nullable SentFields outerSent,
            Metadata values,
            SentFields sent,
            List<Field> fields,
            List<FieldName> withheld) {
        static Together of(@Nullable Metadata outer, @Nullable SentFields outerSent, Metadata own, SentFields sent) {
            Metadata values = outer == null ? own : same(outer, outer.with(own));
            SentFields all = outerSent == null ? sent : same(outerSent, outerSent.with(sent));
            return new Together(outer, outerSent, values, all, all.of(own), all.withheld(own));
        }

        /** Whoever follows remembers by instance. */
        private static <T> T same(T before, T now) {
            return now.equals(before) ? before : now;
        }
    }

    private final Metadata own;
    private final SentFields sent;
    private final Together alone;
    private final AtomicReferenceArray<Together> remembered = new AtomicReferenceArray<>(REMEMBERED);

    RouteMetadata(Metadata own, SentFields sent) {
        this.own = own;
        this.sent = sent;
        this.alone = Together.of(null, null, own, sent);
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        Together now = together(exchange.value(Key.METADATA), exchange.value(SentFields.KEY));
        exchange.value(Key.METADATA, now.values);
        exchange.value(SentFields.KEY, now.sent);
        for (int i = 0; i < now.fields.size(); i++) {
            exchange.request().removeAlike(now.fields.get(i).name());
            exchange.request().add(now.fields.get(i));
        }
        for (int i = 0; i < now.withheld.size(); i++) {
            exchange.request().removeAlike(now.withheld.get(i));
        }
        return Outcome.CONTINUE;
    }

    @SuppressWarnings(
            "ReferenceEquality") // Equal ones may be made anew for each exchange, by whoever leaves them: comparing
    // would cost as much.
    private Together together(@Nullable Metadata outer, @Nullable SentFields outerSent) {
        if (outer == null) {
            return alone;
        }
        int slot = System.identityHashCode(outer) & (REMEMBERED - 1);
        Together known = remembered.getAcquire(slot);
        if (known != null && known.outer == outer && known.outerSent == outerSent) {
            return known;
        }
        Together made = Together.of(outer, outerSent, own, sent);
        remembered.setRelease(slot, made);
        return made;
    }
}
