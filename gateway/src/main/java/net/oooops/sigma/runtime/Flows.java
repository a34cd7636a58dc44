package net.oooops.sigma.runtime;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.TlsConfig;
import org.jspecify.annotations.Nullable;

/**
 * The flows of a road's Listeners, and of those Listeners that are gone, until their clients are. Each is one of those that follow the configuration
 * that its plan is from: that doesn't end before it.
 *
 * <p>Called on the Worker's event loop only, but where it is made.
 *
 * @param <F> what a Worker has of a Listener
 * @param <P> the plan of a Listener
 */
public final class Flows<F extends ListenerFlow<P>, P> {
    private final LoopContext loop;
    private final Function<P, F> maker;
    private final Function<P, Listener> listenerOf;
    private final List<Leaving<F>> leaving = new ArrayList<>();
    private final IdentityHashMap<F, Generation.Followers> following = new IdentityHashMap<>();
    private List<F> present = List.of();

    /**
     * A flow whose Listener is gone.
     *
     * @param untilNanos when what is left of it is cut
     * @param reachable whether a socket may still lead to it
     */
    private record Leaving<F>(F flow, long untilNanos, boolean reachable) {
        private Leaving<F> unreachable() {
            return new Leaving<>(flow, untilNanos, false);
        }
    }

    /**
     * None yet.
     *
     * @param maker makes the flow of a plan
     * @param listenerOf the Listener that a plan is for
     */
    public Flows(LoopContext loop, Function<P, F> maker, Function<P, Listener> listenerOf) {
        this.loop = loop;
        this.maker = maker;
        this.listenerOf = listenerOf;
    }

    /**
     * Those of these plans from now on. A Listener that is where one was, and is what that was, keeps its flow with all its clients; others get one, and those that are
     * gone drain for as long as their own timeouts say. One that is back by then goes on with its flow ({@link ListenerFlow#canReturn}), and its clients stay.
     * One that can't follow, by a fault of Sigma's own, is gone, and another one takes its place: nobody knows what of it follows what.
     */
    public void follow(List<P> plans) {
        List<F> now = new ArrayList<>();
        for (P plan : plans) {
            F there = findFor(plan);
            F flow = there != null && follows(there, plan) ? there : made(plan);
            if (flow != null) {
                now.add(flow);
                leave(following.put(flow, loop.following().enter()));
            }
        }
        for (F before : present) {
            if (!now.contains(before)) {
                leaves(before);
            }
        }
        present = List.copyOf(now);
    }

    private boolean follows(F flow, P plan) {
        try {
            flow.follow(plan);
            return true;
        } catch (RuntimeException | Error e) {
            loop.thrown(e);
            if (!present.contains(flow)) {
                leaves(flow);
            }
            return false;
        }
    }

    /** Null where it can't be: all others follow all the same. */
    private @Nullable F made(P plan) {
        try {
            return maker.apply(plan);
        } catch (RuntimeException | Error e) {
            loop.thrown(e);
            return null;
        }
    }

    /** Nobody can connect to those that are gone any more: each ends with the last of its clients. */
    void unreachable() {
        leaving.replaceAll(Leaving::unreachable);
    }

    /**
     * Tells those that are gone and have been replaced by something that asks clients for something else.
     *
     * @param all the Listeners of connections that there are now, of all roads: another one may have what was this one's
     */
    public void endReplaced(List<Listener> all) {
        for (Leaving<F> each : leaving) {
            if (isReplaced(each.flow.listener(), all)) {
                each.flow.replaced();
            }
        }
    }

    /** Whether there is a Listener where that one was, or of its name, that asks something else of TLS: one that has only moved doesn't. */
    private static boolean isReplaced(Listener gone, List<Listener> all) {
        for (Listener listener : all) {
            boolean same = gone.isAt(listener) || gone.id().equals(listener.id());
            if (same && !TlsConfig.askTheSame(gone.tls(), listener.tls())) {
                return true;
            }
        }
        return false;
    }

    private static void leave(Generation.@Nullable Followers before) {
        if (before != null) {
            before.leave();
        }
    }

    private @Nullable F findFor(P plan) {
        Listener listener = listenerOf.apply(plan);
        for (F flow : present) {
            if (flow.listener().isAt(listener) && flow.canFollow(plan)) {
                return flow;
            }
        }
        return returning(plan);
    }

    /** One that drains where that Listener is, the last that did; it is present from then on. */
    private @Nullable F returning(P plan) {
        Listener listener = listenerOf.apply(plan);
        for (Leaving<F> each : leaving.reversed()) {
            F flow = each.flow;
            if (flow.listener().isAt(listener) && flow.canFollow(plan) && flow.canReturn(listener)) {
                leaving.remove(each);
                return flow;
            }
        }
        return null;
    }

    private void leaves(F flow) {
        guarded(flow::drain);
        leaving.add(new Leaving<>(
                flow, loop.clock().nanos() + flow.listener().timeouts().drainNanos(), true));
    }

    /** That of a Listener; null where there is none of that id. */
    public @Nullable F find(String listenerId) {
        for (F flow : present) {
            if (flow.listener().id().equals(listenerId)) {
                return flow;
            }
        }
        return null;
    }

    /** Those of the Listeners that there are, in the order of the plan. */
    public List<F> present() {
        return present;
    }

    /** Those, and those whose Listeners are gone. */
    public List<F> all() {
        if (leaving.isEmpty()) {
            return present;
        }
        List<F> all = new ArrayList<>(present);
        leaving.forEach(each -> all.add(each.flow));
        return all;
    }

    /** Ten times a second: what is left of Listeners that are gone is cut when their time is over. */
    void tick() {
        if (!leaving.isEmpty()) {
            List<Leaving<F>> over = new ArrayList<>();
            for (Leaving<F> each : leaving) {
                if (each.untilNanos - loop.clock().nanos() < 0) {
                    guarded(each.flow::cut);
                }
                if (!each.reachable && each.flow.isIdle()) {
                    over.add(each);
                }
            }
            leaving.removeAll(over);
            for (Leaving<F> each : over) {
                leave(following.remove(each.flow));
                guarded(each.flow::close);
            }
        }
    }

    /** What it throws, of one of its connections, is told: all others go on all the same, and what is left of it is cut. */
    private void guarded(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException | Error e) {
            loop.thrown(e);
        }
    }

    /** The gateway ends. */
    public void drain() {
        present.forEach(flow -> guarded(flow::drain));
    }

    /** Whether what lies open for long stays so, though it drains. */
    public void keepOpen(boolean whether) {
        present.forEach(flow -> flow.keepOpen(whether));
    }

    /** The gateway doesn't end after all. */
    public void resume() {
        present.forEach(ListenerFlow::resume);
    }

    /** Closes what is left of clients. */
    public void cut() {
        all().forEach(ListenerFlow::cut);
    }
}
