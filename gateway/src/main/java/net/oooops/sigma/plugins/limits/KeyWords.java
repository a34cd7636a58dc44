package net.oooops.sigma.plugins.limits;

/** Takes the parts of a key, one after the other. */
sealed interface KeyWords permits KeyDigest, KeyName {
    /** The next word of it. */
    void add(long word);

    /** {@code text[from, end)}, as a part of it. */
    void add(String text, int from, int end);
}
