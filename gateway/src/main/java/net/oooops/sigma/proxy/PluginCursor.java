package net.oooops.sigma.proxy;

import java.util.Arrays;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.plugin.Chain;
import org.jspecify.annotations.Nullable;

/**
 * How far an exchange has come in its chain of plugins, whether it is parked there, what they attached to it, and what they
 * are given of it. Made once with the exchange, and used again.
 */
final class PluginCursor {
    private static final @Nullable Object[] NOTHING = {};
    private static final int SHARED_FIRST = 8;

    /** The chain position up to which plugins have seen the request. */
    private int reached = -1;
    /** The next of the plugins that see the response. */
    private int responseIndex;
    /** Not 0 while parked: the number of this parking, so that an outcome that comes too late is known as such. */
    private int parking;
    /** Goes on over all exchanges that this is used for. */
    private int parkings;

    private int parkedAt;
    /** Which of the plugins that see the request is the first to find its body whole; -1 while none has asked for it. */
    private int collectedFor = -1;

    private boolean parkedInResponse;
    private boolean held;
    private @Nullable Object @Nullable [] attachments;
    /** Keys and their values, in turns; as many as {@link #sharedCount} of them. */
    private @Nullable Object[] shared = NOTHING;

    private int sharedCount;
    private @Nullable Consumer consumer;
    /** There once a plugin was met; stays from one request to the next. */
    private @Nullable PluginView view;

    /** Makes it ready for another request. */
    void reset() {
        reached = -1;
        responseIndex = 0;
        collectedFor = -1;
        parking = 0;
        held = false;
        attachments = null;
        if (sharedCount > 0) {
            Arrays.fill(shared, 0, sharedCount, null);
            sharedCount = 0;
        }
        consumer = null;
    }

    /** The plugins up to this position of the chain have seen the request. */
    void reach(int position) {
        reached = position;
    }

    int reached() {
        return reached;
    }

    /** The request's body is collected for that one of the plugins that see the request. */
    void collect(int index) {
        collectedFor = index;
    }

    int collectedFor() {
        return collectedFor;
    }

    /** Whether a plugin has had the request's body collected. */
    boolean hasCollected() {
        return collectedFor >= 0;
    }

    /** That is the next of the plugins that see the response. */
    void nextInResponse(int index) {
        responseIndex = index;
    }

    int responseIndex() {
        return responseIndex;
    }

    /** Parks the exchange at that plugin and returns the number of this parking. */
    int park(int index, boolean inResponse) {
        parkings = Math.max(1, (parkings + 1) & Integer.MAX_VALUE);
        parking = parkings;
        parkedAt = index;
        parkedInResponse = inResponse;
        return parking;
    }

    boolean isParked() {
        return parking != 0;
    }

    /** Whether this parking lasts. */
    boolean isParked(int number) {
        return parking == number;
    }

    /** The plugin's outcome is there. */
    void unpark() {
        parking = 0;
    }

    /**
     * The exchange goes on without the plugin that it is parked for, if it is for one, and which may still hold it. That one keeps its hands
     * off from now on; what it is in the middle of writing to the response goes nowhere.
     */
    void leave() {
        if (parking != 0) {
            held = true;
            revoke();
        }
        parking = 0;
    }

    int parkedAt() {
        return parkedAt;
    }

    boolean isParkedInResponse() {
        return parkedInResponse;
    }

    /** Whether a plugin may still hold the exchange, though it is over: it is left to the garbage collector. */
    boolean isHeld() {
        return held;
    }

    /** What plugins are given of that exchange, which is the one that this belongs to. */
    PluginView view(HttpExchange x) {
        PluginView shown = view;
        if (shown == null) {
            shown = new PluginView(x);
            view = shown;
        }
        return shown;
    }

    /** Its response is that one from now on. */
    void show(ResponseSide response) {
        PluginView shown = view;
        if (shown != null) {
            shown.show(response);
        }
    }

    /** Who was given the view has no use of it any more: plugins to come are given another one. */
    void revoke() {
        PluginView shown = view;
        if (shown != null) {
            shown.revoke();
            view = null;
        }
    }

    @Nullable Object attachment(Chain chain, Plugin plugin) {
        @Nullable Object @Nullable [] kept = attachments;
        int slot = kept == null ? -1 : chain.slotOf(plugin);
        return kept == null || slot < 0 ? null : kept[slot];
    }

    void attach(Chain chain, Plugin plugin, @Nullable Object value) {
        int slot = chain.slotOf(plugin);
        if (slot < 0) {
            throw new IllegalArgumentException(plugin + " (expected: a plugin on the way of this exchange)");
        }
        if (attachments == null) {
            attachments = new Object[chain.slots()];
        }
        attachments[slot] = value;
    }

    @Nullable Object value(Key<?> key) {
        for (int i = 0; i < sharedCount; i += 2) {
            if (shared[i] == key) {
                return shared[i + 1];
            }
        }
        return null;
    }

    void value(Key<?> key, @Nullable Object value) {
        int at = 0;
        while (at < sharedCount && shared[at] != key) {
            at += 2;
        }
        if (at == shared.length) {
            shared = Arrays.copyOf(shared, Math.max(SHARED_FIRST, 2 * at));
        }
        shared[at] = key;
        shared[at + 1] = value;
        sharedCount = Math.max(sharedCount, at + 2);
    }

    @Nullable Consumer consumer() {
        return consumer;
    }

    void consumer(Consumer found) {
        consumer = found;
    }
}
