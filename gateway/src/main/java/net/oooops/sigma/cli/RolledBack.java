package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.CurrentTexts;
import net.oooops.sigma.config.CurrentTexts.Lack;
import org.jspecify.annotations.Nullable;

/**
 * What was rolled back, and isn't taken again before it is something else.
 *
 * @param from what the files of configuration say, each a way to say it; none where that isn't known, as they couldn't be read
 * @param files that what was rolled back to depends on
 */
record RolledBack(List<List<ConfigText>> from, List<Path> files) {
    /** So many ways are known at most: of more, those of the last rollbacks. Each has whole files in it. */
    static final int WAYS_MAX = 16;

    RolledBack {
        from = List.copyOf(from);
        files = List.copyOf(files);
    }

    /**
     * What is rolled back by going to an earlier configuration; null where the files say that one.
     *
     * @param before what was rolled back until then; null where nothing was
     * @param now what the files say
     * @param held what holds until then
     */
    static @Nullable RolledBack of(
            @Nullable RolledBack before, CurrentTexts now, List<ConfigText> held, List<ConfigText> to) {
        if (now.lack() == Lack.NONE && now.texts().equals(to)) {
            return null;
        }
        return new RolledBack(
                switch (now.lack()) {
                    case NONE -> List.of(now.texts());
                    case GONE -> whileGone(before, now.texts(), held);
                    case UNREADABLE, UNANSWERED -> before == null ? List.of() : before.from;
                },
                List.of());
    }

    /** As of a mount that was taken away: once it is there again, what it says is most likely what held, or what was rolled back before. */
    private static List<List<ConfigText>> whileGone(
            @Nullable RolledBack before, List<ConfigText> now, List<ConfigText> held) {
        if (before == null) {
            return List.of(now, held);
        }
        if (before.isUnknown()) {
            return List.of();
        }
        Set<List<ConfigText>> all = new LinkedHashSet<>(List.of(now, held));
        all.addAll(before.from);
        return all.stream().limit(WAYS_MAX).toList();
    }

    /** Whether nothing is known of what the files said: what they say once they can be read counts as that. */
    boolean isUnknown() {
        return from.isEmpty();
    }

    /** Whether that is what was rolled back, to the byte. */
    boolean isSaidBy(List<ConfigText> texts) {
        return from.contains(texts);
    }

    /** The same, said that way. */
    RolledBack saidBy(List<ConfigText> texts) {
        return new RolledBack(List.of(texts), files);
    }

    /** The same, where what was rolled back to depends on these files. */
    RolledBack with(List<Path> others) {
        return new RolledBack(from, others);
    }
}
