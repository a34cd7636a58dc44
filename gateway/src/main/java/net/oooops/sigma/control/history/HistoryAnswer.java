package net.oooops.sigma.control.history;

import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.control.socket.Answer;
import net.oooops.sigma.control.socket.Asked;
import net.oooops.sigma.control.socket.Steered;

/** {@code history}: the configurations that are kept, the last one first. Any thread. */
public final class HistoryAnswer implements Steered {
    private final History history;

    public HistoryAnswer(History history) {
        this.history = history;
    }

    @Override
    public Answer answer(Asked asked) {
        List<Entry> all = history.list();
        StringBuilder text = new StringBuilder();
        for (Entry each : all) {
            text.append(each.number())
                    .append("  ")
                    .append(each.at().truncatedTo(ChronoUnit.SECONDS))
                    .append("  ")
                    .append(each.who())
                    .append("  sha256 ")
                    .append(each.hash())
                    .append('\n');
        }
        return new Answer(
                all.isEmpty() ? "nothing is kept\n" : text.toString(),
                Map.of("configurations", all.stream().map(HistoryAnswer::json).toList()));
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
