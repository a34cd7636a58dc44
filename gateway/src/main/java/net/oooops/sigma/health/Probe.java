package net.oooops.sigma.health;

import java.net.InetSocketAddress;

/** Asks one node its question. */
interface Probe {
    /** How much of what a node sends is looked at. */
    int BYTES_MAX = 64 << 10;

    /** Asks once, and tells the attempt how it went. Returns at once. */
    void ask(InetSocketAddress node, Attempt attempt);
}
