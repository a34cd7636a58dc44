package net.oooops.sigma.config;

import org.jspecify.annotations.Nullable;

/**
 * One String for what a file says again and again: keys, ids, methods. A large file has ten times as many texts as different ones, and what it makes is
 * copied by each collection until it is old.
 *
 * <p>It knows the last text of each hash, and so isn't larger for a file of which all texts differ. For one thread.
 */
final class RepeatedTexts {
    private static final int SLOTS = 1024;

    private final @Nullable String[] slots = new String[SLOTS];

    /** An equal text: one that was given before, where that is known. */
    String same(String text) {
        int hash = text.hashCode();
        int slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
        String known = slots[slot];
        if (known != null && known.equals(text)) {
            return known;
        }
        slots[slot] = text;
        return text;
    }
}
