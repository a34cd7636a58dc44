package net.oooops.sigma.runtime;

import java.util.Arrays;

/** The nodes that one request or session was tried on, by number: few of them. */
public final class TriedNodes {
    private static final int FIRST = 4;

    private int[] nodes = new int[FIRST];
    private int count;

    public void add(int node) {
        if (count == nodes.length) {
            nodes = Arrays.copyOf(nodes, count * 2);
        }
        nodes[count++] = node;
    }

    public void clear() {
        count = 0;
    }

    public boolean contains(int node) {
        for (int i = 0; i < count; i++) {
            if (nodes[i] == node) {
                return true;
            }
        }
        return false;
    }
}
