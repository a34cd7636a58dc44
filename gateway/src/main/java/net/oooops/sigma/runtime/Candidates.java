package net.oooops.sigma.runtime;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.balance.Balancer;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.time.LoopClock;
import net.oooops.sigma.upstream.Ejection;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.OnTrial;
import net.oooops.sigma.upstream.Upstream;

/**
 * Which nodes a balancer may choose from while not all of them take their whole share: hides those that are out from it, shows those
 * that come back to some requests only, and gives single requests to those that are to be tried out: never to one that its key or its cookie
 * keeps elsewhere. Those that are kept aside are
 * for requests that no other node is left for.
 *
 * <p>Belongs to one Worker.
 */
final class Candidates extends Narrowed {
    /** How far a request may go. */
    private enum Reach {
        IN_USE,
        /** Those of other zones, too. */
        OTHER_ZONES,
        /** And backups. */
        BACKUPS
    }

    /** So many of those that are to be tried out a request asks at most; the next one asks the next ones. */
    private static final int TRIALS_SEEN_MAX = 4;

    private final LoopClock clock;
    private final Upstream upstream;
    private List<Node> nodes = List.of();
    private boolean all;
    private Reach reach = Reach.IN_USE;
    /** Those that come back are left out where it is below their share. */
    private double luck;

    private int trial = Node.NO_TRIAL;
    /** Which one of those that are to be tried out was asked last. */
    private int turn;

    /** The node that is looked at as if it were well, or -1. */
    private int shown = -1;
    /** It would take the place of all that are available. */
    private boolean shownFirst;

    private final Beside beside = new Beside();
    private final Any any = new Any();

    Candidates(LoopClock clock, Upstream upstream) {
        this.clock = clock;
        this.upstream = upstream;
    }

    /** The nodes are these from now on. */
    void among(List<Node> now) {
        nodes = now;
    }

    /** Another node is about to be picked. */
    void begin() {
        trial = Node.NO_TRIAL;
    }

    /** The number of the trial by which the node that was picked last is tried out; {@link Node#NO_TRIAL} where it isn't. */
    int trial() {
        return trial;
    }

    /** The number of a node that may take the request, or -1 where there is none left. */
    int pick(Balancer balancer, PickContext context, boolean harmless) {
        int out = tryOut(balancer, context, harmless);
        if (out >= 0) {
            return out;
        }
        asked = context;
        all = upstream.isPanicking();
        luck = ThreadLocalRandom.current().nextDouble();
        int index = balancer.pick(this);
        if (index < 0) {
            // Those that come back slowly are better than none; those that fail, too, at last.
            luck = Ejection.SHARE_MIN;
            index = balancer.pick(this);
        }
        if (index < 0) {
            luck = 0;
            index = balancer.pick(this);
        }
        if (index < 0) {
            reach = Reach.OTHER_ZONES;
            index = balancer.pick(this);
        }
        if (index < 0) {
            reach = Reach.BACKUPS;
            index = balancer.pick(this);
        }
        if (reach != Reach.IN_USE) {
            reach = Reach.IN_USE;
        }
        asked = PickContext.NONE;
        return index;
    }

    /** Which nodes are out of the question for a try beside one on the node {@code but}: asked within one pick only. */
    PickContext beside(PickContext context, int but) {
        beside.asked = context;
        beside.but = but;
        return beside;
    }

    /** Which nodes are out of the question whoever is left: asked within one pick only. */
    PickContext any(PickContext context) {
        any.asked = context;
        return any;
    }

    private int tryOut(Balancer balancer, PickContext context, boolean harmless) {
        OnTrial onTrial = upstream.onTrial(nodes);
        int count = onTrial.count();
        for (int i = 0; i < Math.min(count, TRIALS_SEEN_MAX); i++) {
            turn = turn + 1 < count ? turn + 1 : 0;
            int place = onTrial.place(turn);
            Node node = nodes.get(place);
            if (!node.isOnTrial() || context.excludes(place) || !mayGoTo(place, balancer, context)) {
                continue;
            }
            trial = upstream.ejection().tryOut(node, harmless, clock.nanos());
            if (trial != Node.NO_TRIAL) {
                return place;
            }
        }
        return -1;
    }

    /** Whether a request may find out if that node is well: it would be given to it, were it so, or any node will do. */
    private boolean mayGoTo(int index, Balancer balancer, PickContext context) {
        int held = context.held();
        if (held >= 0 && held != index && isUsed(held) && !context.excludes(held)) {
            return false;
        }
        asked = context;
        shown = index;
        shownFirst = nodes.get(index).isAside();
        int keyed = balancer.keyed(this);
        asked = PickContext.NONE;
        shown = -1;
        return keyed < 0 || keyed == index;
    }

    private boolean isUsed(int index) {
        return index < nodes.size()
                && !nodes.get(index).isAside()
                && nodes.get(index).isUsed(upstream.isPanicking());
    }

    @Override
    public boolean excludes(int index) {
        if (asked.excludes(index)) {
            return true;
        }
        if (shown >= 0) {
            return index != shown && (shownFirst || !isUsed(index));
        }
        Node node = nodes.get(index);
        if (node.isAside() && !isWithinReach(node)) {
            return true;
        }
        if (!node.isAvailable()) {
            return !node.isUsed(all);
        }
        return luck > upstream.ejection().share(node, clock.nanos());
    }

    private boolean isWithinReach(Node aside) {
        return reach == Reach.BACKUPS
                || (reach == Reach.OTHER_ZONES && !aside.config().backup());
    }

    /** Shows all nodes but those that an operator has barred. */
    private final class Any extends Narrowed {
        @Override
        public boolean excludes(int index) {
            return asked.excludes(index) || nodes.get(index).isBarred();
        }
    }

    /** Shows only nodes of which nothing is known but good. */
    private final class Beside extends Narrowed {
        private int but;

        @Override
        public boolean excludes(int index) {
            Node node = nodes.get(index);
            return index == but
                    || asked.excludes(index)
                    || node.isAside()
                    || !node.isAvailable()
                    || node.isSuspect()
                    || upstream.ejection().share(node, clock.nanos()) < 1;
        }

        /** The one that a cookie names has the other try. */
        @Override
        public int held() {
            return -1;
        }
    }
}
