package net.oooops.sigma.plugins.headers;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.TemplateText;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/**
 * A field whose value has facts of the request in it, read once: names in braces, and two braces for one that is meant itself. Immutable.
 */
final class Template {
    /** A longer value is none: nodes refuse it, or cut it. */
    private static final int VALUE_CHARS_MAX = 8192;

    private final FieldName name;
    /** Text, fact, text, fact, …, text. */
    private final List<String> texts;

    private final List<Fact> facts;
    private final List<PathParameter> parameters;

    private Template(FieldName name, List<String> texts, List<Fact> facts, List<PathParameter> parameters) {
        this.parameters = List.copyOf(parameters);
        this.name = name;
        this.texts = List.copyOf(texts);
        this.facts = List.copyOf(facts);
    }

    /** The field that {@code value} writes. */
    static Template of(FieldName name, Settings value) {
        TemplateText text = text(value);
        List<Fact> facts = new ArrayList<>();
        List<PathParameter> parameters = new ArrayList<>();
        for (String named : text.names()) {
            Fact fact = Fact.of(named);
            if (fact == null) {
                throw value.unexpected(Fact.EXPECTED);
            }
            if (named.startsWith(Fact.PARAMETER)) {
                parameters.add(new PathParameter(named.substring(Fact.PARAMETER.length()), value.pointer()));
            }
            facts.add(fact);
        }
        if (!Field.isValue("x" + String.join("", text.texts()) + "x")) {
            throw value.unexpected("a field value, RFC 9110 section 5.5: no control characters");
        }
        return new Template(name, text.texts(), facts, parameters);
    }

    private static TemplateText text(Settings value) {
        try {
            return TemplateText.parse(value.string());
        } catch (UnfitException e) {
            throw value.unfit(e.expected());
        }
    }

    /** The parameters of the path that it names. */
    List<PathParameter> parameters() {
        return parameters;
    }

    /**
     * Sets the field. Where a fact isn't there, or can't stand in a field, there is no field of that name: not the client's own, either.
     *
     * @param alike whether what reads the same as that name goes, too
     */
    void applyTo(Head head, Exchange exchange, boolean alike) {
        String value = value(exchange);
        if (alike) {
            head.removeAlike(name);
        } else {
            head.remove(name);
        }
        if (value != null && value.length() <= VALUE_CHARS_MAX && Field.isValue(value)) {
            head.add(Field.of(name, value));
        }
    }

    private @Nullable String value(Exchange exchange) {
        StringBuilder value = new StringBuilder(64);
        for (int i = 0; i < facts.size(); i++) {
            String fact = facts.get(i).of(exchange);
            if (fact == null) {
                return null;
            }
            value.append(texts.get(i)).append(fact);
        }
        return value.append(texts.getLast()).toString();
    }
}
