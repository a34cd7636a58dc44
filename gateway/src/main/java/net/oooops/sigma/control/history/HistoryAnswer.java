package net.oooops.sigma.control.history;

import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.changes.Changes;
import net.oooops.sigma.config.changes.ConfigDiff;
import net.oooops.sigma.control.socket.Answer;
import net.oooops.sigma.control.socket.Asked;
import net.oooops.sigma.control.socket.Refused;
import net.oooops.sigma.control.socket.Steered;
import org.jspecify.annotations.Nullable;

/**
 * {@code history}: the configurations that are kept, the last one first; asked with {@code number}, what that one changed against the one before. Any thread.
 */
public final class HistoryAnswer implements Steered {
    private final History history;
    private final Meaning meaning;

    /** Reads what is kept. */
    @FunctionalInterface
    public interface Meaning {
        /**
         * What files of configuration mean.
         *
         * @throws Refused where they have problems: all of them, one a line
         */
        SigmaConfig of(List<ConfigText> files) throws Refused;
    }

    /** @param meaning asked for two of them, to compare these */
    public HistoryAnswer(History history, Meaning meaning) {
        this.history = history;
        this.meaning = meaning;
    }

    @Override
    public Answer answer(Asked asked) throws Refused {
        if (asked.arguments().get("number") != null) {
            return changed(asked.number("number"));
        }
        List<Entry> all = history.list();
        StringBuilder text = new StringBuilder();
        all.forEach(each -> text.append(text(each)));
        return new Answer(
                all.isEmpty() ? "nothing is kept\n" : text.toString(),
                Map.of("configurations", all.stream().map(HistoryAnswer::json).toList()));
    }

    private Answer changed(int number) throws Refused {
        List<ConfigText> files = files(number);
        Entry entry = null;
        Entry before = null;
        for (Entry each : history.list()) {
            entry = each.number() == number ? each : entry;
            before = before == null && each.number() < number ? each : before;
        }
        if (entry == null) {
            throw new Refused("configuration " + number + ": not kept any more");
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>(json(entry));
        if (before == null) {
            json.put("against", null);
            json.put("changes", null);
            return new Answer(text(entry) + "the oldest that is kept: nothing to compare it with\n", json);
        }
        SigmaConfig meant = meant(number, files);
        // Nothing is said of restarts: what the process was started with doesn't matter here.
        Changes changes = ConfigDiff.between(meant(before.number(), files(before.number())), meant, meant.runtime());
        json.put("against", before.number());
        json.put("changes", changes.json());
        return new Answer(text(entry) + "against number " + before.number() + ":\n" + changes.text(), json);
    }

    private List<ConfigText> files(int number) throws Refused {
        try {
            return history.get(number);
        } catch (NotKept e) {
            throw new Refused(e.text());
        }
    }

    private SigmaConfig meant(int number, List<ConfigText> files) throws Refused {
        try {
            return meaning.of(files);
        } catch (Refused e) {
            throw new Refused(
                    "configuration " + number + " can't be compared, as it has problems by now:\n" + e.text());
        }
    }

    private static String text(Entry entry) {
        return entry.number() + "  " + entry.at().truncatedTo(ChronoUnit.SECONDS) + "  " + entry.who() + "  sha256 "
                + entry.hash() + "\n";
    }

    private static Map<String, Object> json(Entry entry) {
        return Map.of(
                "number", entry.number(),
                "at", entry.at().toString(),
                "by", entry.who(),
                "sha256", entry.hash(),
                "files", entry.files().stream().map(Object::toString).toList());
    }
}
