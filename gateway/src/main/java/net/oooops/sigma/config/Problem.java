package net.oooops.sigma.config;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong in a configuration file.
 *
 * @param place where; line 0 where the file as a whole is meant
 * @param found what stands there, as a reader would name it
 * @param expected what should
 * @param nearest the known name that was probably meant, or what to write instead; null where nothing comes near
 */
public record Problem(
        Place place,
        String found,
        String expected,
        @Nullable String nearest) {

    /** By the file's name, then in the order of the file. */
    public static final Comparator<Problem> BY_PLACE = Comparator.<Problem, String>comparing(
                    p -> p.place().file())
            .thenComparingInt(p -> p.place().line())
            .thenComparingInt(p -> p.place().column())
            .thenComparing(p -> p.place().pointer())
            .thenComparing(Problem::found);

    /**
     * The problem as one line of text: {@code sigma.json:8:33 /proxy-client/max-wait-queue: -1 (expected: >= 0)}.
     *
     * @param name how the file is called, where its place doesn't say
     */
    public String text(String name) {
        StringBuilder text = new StringBuilder(where(name));
        text.append(": ").append(found).append(" (expected: ").append(expected);
        if (nearest != null) {
            text.append("; did you mean ").append(Json.quoted(nearest)).append('?');
        }
        return text.append(')').toString();
    }

    /** The place alone: {@code sigma.json:8:33 /proxy-client/max-wait-queue}. */
    String where(String name) {
        StringBuilder text = new StringBuilder(place.file().isEmpty() ? name : Json.printable(place.file()));
        if (place.line() > 0) {
            text.append(':').append(place.line()).append(':').append(place.column());
        }
        if (!place.pointer().isEmpty()) {
            text.append(' ').append(shownPointer());
        }
        return text.toString();
    }

    /** The pointer without what would change how a terminal shows it. */
    private String shownPointer() {
        String quoted = Json.quoted(place.pointer());
        return quoted.substring(1, quoted.length() - 1);
    }
}
