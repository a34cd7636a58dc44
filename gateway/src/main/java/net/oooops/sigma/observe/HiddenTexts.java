package net.oooops.sigma.observe;

import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.config.Secrets;

/**
 * The secrets that this process has read, which its own log never shows: what plugins and libraries say in words of their own is searched for them. One
 * for the process, as its log is. Any thread.
 */
public final class HiddenTexts {
    private static final AtomicReference<Secrets> ALL = new AtomicReference<>(Secrets.NONE);

    private HiddenTexts() {}

    /** Some more. */
    public static void add(Secrets more) {
        ALL.accumulateAndGet(more, Secrets::and);
    }

    /** A text that is shown, without any of them. */
    public static String hide(String text) {
        return ALL.get().hide(text);
    }
}
