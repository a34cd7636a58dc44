package net.oooops.sigma.plugin.condition;

import dev.cel.runtime.CelEvaluationException;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.UnfitException;

/**
 * Whether something holds for an exchange: an expression in CEL, compiled and type-checked once. What it costs is bounded: by the length of its text, by
 * {@value Language#ITERATIONS_MAX} steps of {@code all} and {@code exists}, by regular expressions that take linear time, and as nothing in it makes
 * texts longer. What it asks of an exchange is read when it is asked.
 *
 * <p>Immutable, safe for use from any thread.
 */
public final class Condition {
    private final String text;
    private final Compiled compiled;

    private Condition(String text, Compiled compiled) {
        this.text = text;
        this.compiled = compiled;
    }

    /**
     * Compiles an expression.
     *
     * @throws UnfitException saying what is wrong with it, and at which character
     */
    public static Condition compile(String text) {
        return new Condition(text, Compiled.of(text, Language.CONDITIONS));
    }

    /** As it is written. */
    public String text() {
        return text;
    }

    /** Whether it asks for anything of the response. */
    public boolean asksForResponse() {
        return compiled.asksForResponse();
    }

    /**
     * Whether it holds.
     *
     * @throws UndecidedException where that can't be said
     */
    public boolean holds(Exchange exchange) throws UndecidedException {
        try {
            return Boolean.TRUE.equals(compiled.value(exchange));
        } catch (CelEvaluationException e) {
            throw new UndecidedException(e);
        } catch (StackOverflowError e) {
            throw new UndecidedException(e);
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
