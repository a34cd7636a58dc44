package net.oooops.sigma.plugin.condition;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelReference;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.Optional;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.UnfitException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether something holds for an exchange: an expression in CEL, compiled and type-checked once. What it costs is bounded: by the length of its text, by
 * {@value Language#ITERATIONS_MAX} steps of {@code all} and {@code exists}, by regular expressions that take linear time, and as nothing in it makes
 * texts longer. What it asks of an exchange is read when it is asked.
 *
 * <p>Immutable, safe for use from any thread.
 */
public final class Condition {
    private static final Logger LOG = LoggerFactory.getLogger(Condition.class);

    private final String text;
    private final CelRuntime.Program program;
    private final boolean asksForResponse;

    private Condition(String text, CelRuntime.Program program, boolean asksForResponse) {
        this.text = text;
        this.program = program;
        this.asksForResponse = asksForResponse;
    }

    /**
     * Compiles an expression.
     *
     * @throws UnfitException saying what is wrong with it, and at which character
     */
    public static Condition compile(String text) {
        try {
            return compiled(text);
        } catch (UnfitException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            // What the library makes of a text that it can't cope with.
            throw new UnfitException("an expression in CEL that can be used; " + e);
        }
    }

    private static Condition compiled(String text) {
        CelValidationResult result = Language.COMPILER.compile(text);
        if (result.hasError()) {
            throw unfit(result.getErrors().getFirst());
        }
        try {
            CelAbstractSyntaxTree checked = result.getAst();
            CelRuntime.Program program = Language.runtime(Literals.of(checked)).createProgram(checked);
            prepare(program);
            return new Condition(text, program, asksFor(checked, Fact.RESPONSE_STATUS));
        } catch (CelValidationException | CelEvaluationException e) {
            throw new UnfitException("an expression in CEL that can be used; " + e.getMessage());
        }
    }

    /** Runs it once, so that the first exchange doesn't wait for the library's classes. */
    private static void prepare(CelRuntime.Program program) {
        try {
            program.eval(name -> {
                Fact fact = Fact.find(name);
                return fact == null ? Optional.empty() : fact.sample();
            });
        } catch (CelEvaluationException e) {
            // As it may for an exchange.
            LOG.debug("a condition can't be evaluated for nothing: {}", e.getErrorCode());
        }
    }

    private static boolean asksFor(CelAbstractSyntaxTree checked, Fact fact) {
        return checked.getReferenceMap().values().stream()
                .map(CelReference::name)
                .anyMatch(fact.word()::equals);
    }

    private static UnfitException unfit(CelIssue issue) {
        int line = issue.getSourceLocation().getLine();
        int character = issue.getSourceLocation().getColumn() + 1;
        String where = line < 1 ? "" : (line == 1 ? "" : "line " + line + ", ") + "character " + character + ": ";
        String why = issue.getMessage().replace(" (in container '')", "");
        boolean unknown = why.startsWith("undeclared reference");
        return new UnfitException("an expression in CEL; " + where + why + (unknown ? Language.KNOWN : ""));
    }

    /** As it is written. */
    public String text() {
        return text;
    }

    /** Whether it asks for anything of the response. */
    public boolean asksForResponse() {
        return asksForResponse;
    }

    /**
     * Whether it holds.
     *
     * @throws UndecidedException where that can't be said
     */
    public boolean holds(Exchange exchange) throws UndecidedException {
        try {
            return Boolean.TRUE.equals(program.eval(name -> {
                Fact fact = Fact.find(name);
                return fact == null ? Optional.empty() : Optional.of(fact.of(exchange));
            }));
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
