package net.oooops.sigma.plugin.condition;

import dev.cel.runtime.CelEvaluationException;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Expression;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/** An expression in CEL that comes to a text, for plugins. Its language and bounds are those of a {@link Condition}. Immutable, any thread. */
public final class TextExpression implements Expression {
    private final String text;
    private final Compiled compiled;

    private TextExpression(String text, Compiled compiled) {
        this.text = text;
        this.compiled = compiled;
    }

    /**
     * Compiles one over requests.
     *
     * @throws UnfitException saying what is wrong with it, and at which character
     */
    public static TextExpression compile(String text) {
        Compiled compiled = Compiled.of(text, Language.Texts.COMPILER);
        if (compiled.asksForResponse()) {
            throw new UnfitException("an expression over the request: there is no response yet");
        }
        return new TextExpression(text, compiled);
    }

    @Override
    public @Nullable String text(Exchange exchange) {
        try {
            return compiled.value(exchange) instanceof String found ? found : null;
        } catch (CelEvaluationException | StackOverflowError e) {
            return null;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TextExpression that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
