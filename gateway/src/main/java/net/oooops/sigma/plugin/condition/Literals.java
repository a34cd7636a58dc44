package net.oooops.sigma.plugin.condition;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelReference;
import dev.cel.common.navigation.CelNavigableAst;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/**
 * The texts of an expression that mean something else: names of fields, regular expressions, blocks of addresses. Each is written out in the
 * expression, so that it is checked and made once.
 *
 * <p>Not changed once it is collected; safe for use from any thread then.
 */
final class Literals {
    static final String INDEX_HEADERS = "index_headers";
    static final String IN_HEADERS = "in_headers";
    static final String INDEX_PARAMS = "index_params";
    static final String IN_PARAMS = "in_params";
    static final String INDEX_METADATA = "index_metadata";
    static final String IN_METADATA = "in_metadata";
    static final String MATCHES = "matches";
    static final String TEXT_MATCHES = "matches_string";
    static final String IN_NET = "in_net";
    static final String TEXT_IN_NET = "text_in_net";
    static final String IN_NETS = "in_nets";
    static final String TEXT_IN_NETS = "text_in_nets";

    /** What a compiled regular expression may come to, in instructions: time is proportional to it. */
    private static final int PROGRAM_MAX = 2000;

    private final CelAbstractSyntaxTree of;
    private final Map<String, FieldName> fields = new HashMap<>();
    private final Map<String, Pattern> patterns = new HashMap<>();
    private final Map<String, Cidr> nets = new HashMap<>();

    private Literals(CelAbstractSyntaxTree of) {
        this.of = of;
    }

    /**
     * Those of a checked expression.
     *
     * @throws UnfitException where one isn't what it is to be, or isn't written out
     */
    static Literals of(CelAbstractSyntaxTree checked) {
        Literals literals = new Literals(checked);
        CelNavigableAst.fromAst(checked).getRoot().allNodes().forEach(node -> literals.visit(node.expr()));
        return literals;
    }

    private void visit(CelExpr expr) {
        if (expr.exprKind().getKind() != CelExpr.ExprKind.Kind.CALL) {
            return;
        }
        List<CelExpr> args = expr.call().args();
        CelReference called = of.getReferenceMap().get(expr.id());
        for (String overload : called == null ? List.<String>of() : called.overloadIds()) {
            switch (overload) {
                case INDEX_HEADERS -> add(args.getLast(), "the name of a field", fields, FieldName::of);
                case IN_HEADERS -> add(args.getFirst(), "the name of a field", fields, FieldName::of);
                case MATCHES, TEXT_MATCHES ->
                    add(args.getLast(), "a regular expression of RE2", patterns, Literals::compiled);
                case IN_NET, TEXT_IN_NET -> net(args.getLast());
                case IN_NETS, TEXT_IN_NETS -> nets(args.getLast());
                default -> {}
            }
        }
    }

    private void nets(CelExpr list) {
        if (list.exprKind().getKind() != CelExpr.ExprKind.Kind.LIST) {
            throw unfit(list, "blocks of addresses in brackets, such as [\"10.0.0.0/8\"]");
        }
        list.list().elements().forEach(this::net);
    }

    private void net(CelExpr at) {
        add(at, "a block of addresses, such as \"10.0.0.0/8\"", nets, Cidr::parse);
    }

    private <T> void add(CelExpr at, String what, Map<String, T> all, Function<String, T> made) {
        String text = text(at);
        if (text == null) {
            throw unfit(at, what + ", in quotes");
        }
        try {
            all.put(text, made.apply(text));
        } catch (UnfitException e) {
            throw unfit(at, e.expected());
        } catch (PatternSyntaxException e) {
            throw unfit(at, what + " (" + e.getDescription() + ")");
        } catch (IllegalArgumentException e) {
            throw unfit(at, what);
        }
    }

    private static @Nullable String text(CelExpr at) {
        boolean isText = at.exprKind().getKind() == CelExpr.ExprKind.Kind.CONSTANT
                && at.constant().getKind() == CelConstant.Kind.STRING_VALUE;
        return isText ? at.constant().stringValue() : null;
    }

    private static Pattern compiled(String regexp) {
        Pattern pattern = Pattern.compile(regexp);
        if (pattern.programSize() > PROGRAM_MAX) {
            throw new UnfitException(
                    "a regular expression of at most " + PROGRAM_MAX + " steps; this one has " + pattern.programSize());
        }
        return pattern;
    }

    private UnfitException unfit(CelExpr at, String expected) {
        Integer offset = of.getSource().getPositionsMap().get(at.id());
        String where = offset == null ? "" : "character " + (offset + 1) + ": ";
        return new UnfitException("an expression in CEL; " + where + "expected " + expected);
    }

    FieldName field(String name) {
        return there(fields.get(name), name);
    }

    Pattern pattern(String regexp) {
        return there(patterns.get(regexp), regexp);
    }

    Cidr net(String text) {
        return there(nets.get(text), text);
    }

    private static <T> T there(@Nullable T made, String text) {
        if (made == null) {
            throw new IllegalStateException("\"" + text + "\" (expected: written out in the expression)");
        }
        return made;
    }
}
