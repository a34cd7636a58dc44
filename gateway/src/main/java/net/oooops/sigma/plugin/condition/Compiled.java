package net.oooops.sigma.plugin.condition;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelReference;
import dev.cel.compiler.CelCompiler;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.UnfitException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A checked expression, ready to be evaluated. Immutable, any thread.
 *
 * @param asksForResponse whether it asks for anything of the response
 */
record Compiled(CelRuntime.Program program, boolean asksForResponse) {
    private static final Pattern QUOTED = Pattern.compile("'([^']*)'");

    private static final Logger LOG = LoggerFactory.getLogger(Compiled.class);

    /**
     * Compiles an expression.
     *
     * @param compiler says of which type it has to be
     * @throws UnfitException saying what is wrong with it, and at which character
     */
    static Compiled of(String text, CelCompiler compiler) {
        try {
            return compiled(text, compiler);
        } catch (UnfitException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            // What the library makes of a text that it can't cope with.
            throw new UnfitException("an expression in CEL that can be used; " + e);
        }
    }

    private static Compiled compiled(String text, CelCompiler compiler) {
        CelValidationResult result = compiler.compile(text);
        if (result.hasError()) {
            throw unfit(result.getErrors().getFirst());
        }
        try {
            CelAbstractSyntaxTree checked = result.getAst();
            CelRuntime.Program program = Language.runtime(Literals.of(checked)).createProgram(checked);
            prepare(program);
            return new Compiled(program, asksFor(checked, Fact.RESPONSE_STATUS));
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
            LOG.debug("an expression can't be evaluated for nothing: {}", e.getErrorCode());
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
        return new UnfitException("an expression in CEL; " + where + why + (unknown ? meant(why) : ""));
    }

    /** The function whose name was written in another style, or all facts. */
    private static String meant(String why) {
        Matcher name = QUOTED.matcher(why);
        String plain = name.find() ? plain(name.group(1)) : "";
        return Language.FUNCTIONS.stream()
                .filter(each -> plain(each).equals(plain))
                .findFirst()
                .map(each -> "; did you mean " + each + "?")
                .orElse(Language.KNOWN);
    }

    private static String plain(String name) {
        return name.replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** What it comes to. */
    Object value(Exchange exchange) throws CelEvaluationException {
        return program.eval(name -> {
            Fact fact = Fact.find(name);
            return fact == null ? Optional.empty() : Optional.of(fact.of(exchange));
        });
    }
}
