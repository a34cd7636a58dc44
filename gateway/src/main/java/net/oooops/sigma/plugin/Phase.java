package net.oooops.sigma.plugin;

import net.oooops.sigma.api.Plugin;

/**
 * The plugins of a {@link Chain} that one step of an exchange calls, in the order in which it calls them. Walk it by index:
 * that allocates nothing.
 *
 * <p>Immutable, safe for use from any thread.
 */
public final class Phase {
    private final Plugin[] plugins;
    private final int[] positions;
    private final boolean[] blocking;
    private final boolean[] shadow;
    private final boolean[] wholeRequest;

    /** The arrays, of the same length, are this phase's own from now on. */
    Phase(Plugin[] plugins, int[] positions, boolean[] blocking, boolean[] shadow, boolean[] wholeRequest) {
        this.plugins = plugins;
        this.positions = positions;
        this.blocking = blocking;
        this.shadow = shadow;
        this.wholeRequest = wholeRequest;
    }

    /** How many plugins this step calls. */
    public int count() {
        return plugins.length;
    }

    /** The plugin to call as number {@code index}, from 0 to {@link #count} - 1. */
    public Plugin plugin(int index) {
        return plugins[index];
    }

    /**
     * Where that plugin stands in its chain. After an early response by the plugin at chain position {@code reached}, those
     * with a greater position haven't seen the request and are left out.
     */
    public int position(int index) {
        return positions[index];
    }

    /** Which one this step calls of the plugin at that place in its chain, which it does. */
    public int indexOf(int position) {
        int index = 0;
        while (positions[index] != position) {
            index++;
        }
        return index;
    }

    /** Whether that plugin's {@code onRequest} and {@code onResponse} block and so run on a virtual thread. */
    public boolean isBlocking(int index) {
        return blocking[index];
    }

    /** Whether that plugin is in shadow: the exchange goes on as if it weren't there. */
    public boolean isShadow(int index) {
        return shadow[index];
    }

    /** Whether that plugin is to find the request's body whole. */
    public boolean needsWholeRequest(int index) {
        return wholeRequest[index];
    }
}
