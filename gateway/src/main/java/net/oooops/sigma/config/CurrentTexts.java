package net.oooops.sigma.config;

import java.util.List;

/**
 * What files of configuration say now, as far as they can be read.
 *
 * @param texts of those that can
 * @param lack the worst that is known of the others
 */
public record CurrentTexts(List<ConfigText> texts, Lack lack) {
    public CurrentTexts {
        texts = List.copyOf(texts);
    }

    /** Why one isn't among them; what is worse comes later. */
    public enum Lack {
        /** All are. */
        NONE,
        /** It isn't there. */
        GONE,
        /** It can't be read. */
        UNREADABLE,
        /** It hasn't answered in time. */
        UNANSWERED
    }
}
