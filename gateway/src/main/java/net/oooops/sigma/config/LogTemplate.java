package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.TemplateText;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/**
 * A line of the access log in a form of one's own. Immutable.
 *
 * @param texts what stands before, between and behind the facts: one more than there are facts
 * @param parts the facts, in their order
 */
public record LogTemplate(List<String> texts, List<Part> parts) implements AccessLogConfig.Format {
    private static final String EXPECTED = "one of {"
            + String.join(
                    "}, {",
                    Stream.of(LogFact.values())
                            .filter(fact -> !fact.hasParameter())
                            .map(LogFact::word)
                            .toList())
            + "}, {header:Name} or {metadata:key}; {{ for a brace that is meant itself";

    /**
     * A fact in it.
     *
     * @param parameter of those that have one, else empty
     */
    public record Part(LogFact fact, String parameter) {}

    public LogTemplate {
        texts = List.copyOf(texts);
        parts = List.copyOf(parts);
    }

    /**
     * Reads a format as it is written.
     *
     * @throws UnfitException where it can't be that of a line
     */
    public static LogTemplate parse(String format) {
        TemplateText text = TemplateText.parse(format);
        if (format.chars().anyMatch(c -> Character.isISOControl(c) && c != '\t')) {
            throw new UnfitException("no control characters but tabs: a line is one");
        }
        List<Part> parts = new ArrayList<>();
        for (String name : text.names()) {
            Part part = part(name);
            if (part == null) {
                throw new UnfitException("in the place of {" + name + "} " + EXPECTED, nearest(name, format));
            }
            parts.add(part);
        }
        return new LogTemplate(text.texts(), parts);
    }

    private static @Nullable Part part(String name) {
        int colon = name.indexOf(':');
        LogFact fact = LogFact.of(colon < 0 ? name : name.substring(0, colon));
        if (fact == null || fact.hasParameter() != colon >= 0) {
            return null;
        }
        String parameter = name.substring(colon + 1);
        boolean fits = fact == LogFact.HEADER ? FieldName.isToken(parameter) : !parameter.isEmpty();
        return fits ? new Part(fact, fact.hasParameter() ? parameter : "") : null;
    }

    /** The whole with the name that was probably meant; null where none comes near. */
    private static @Nullable String nearest(String name, String format) {
        List<String> words = Stream.of(LogFact.values()).map(LogFact::word).toList();
        String meant = Nearest.of(name, words);
        return meant == null ? null : format.replace("{" + name + "}", "{" + meant + "}");
    }
}
