package net.oooops.sigma.upstream;

import java.util.Arrays;
import java.util.List;

/**
 * Which nodes of an {@link Upstream} single requests may try out, as worked out when one of them has changed: most often none, however
 * many nodes there are.
 *
 * <p>Any thread.
 */
public final class OnTrial {
    static final OnTrial NONE = new OnTrial(List.of(), new int[0]);

    private final List<Node> nodes;
    private final int[] places;

    private OnTrial(List<Node> nodes, int[] places) {
        this.nodes = nodes;
        this.places = places;
    }

    /** Those among these nodes. */
    static OnTrial among(List<Node> nodes) {
        int[] places = new int[nodes.size()];
        int count = 0;
        for (int i = 0; i < places.length; i++) {
            if (nodes.get(i).isOnTrial()) {
                places[count] = i;
                count++;
            }
        }
        return new OnTrial(nodes, Arrays.copyOf(places, count));
    }

    /** Among which. */
    List<Node> nodes() {
        return nodes;
    }

    /** How many there are. */
    public int count() {
        return places.length;
    }

    /** The place of one of them in the list of nodes. */
    public int place(int which) {
        return places[which];
    }
}
