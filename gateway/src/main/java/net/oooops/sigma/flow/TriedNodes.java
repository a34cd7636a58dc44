package net.oooops.sigma.flow;

import java.util.Arrays;

/** The nodes that one request or session was tried on, by number: few of them. */
final class TriedNodes {
    private static final int FIRST = 4;

    private int[] nodes = new int[FIRST];
    private int count;

    void add(int node) {
        if (count == nodes.length) {
            nodes = Arrays.copyOf(nodes, count * 2);
        }
        nodes[count++] = node;
    }

    void clear() {
        count = 0;
    }

    boolean contains(int node) {
        for (int i = 0; i < count; i++) {
            if (nodes[i] == node) {
                return true;
            }
        }
        return false;
    }
}
