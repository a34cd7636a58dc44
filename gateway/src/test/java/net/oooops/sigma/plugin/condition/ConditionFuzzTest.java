package net.oooops.sigma.plugin.condition;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.testkit.TestExchange;

/** Whatever an expression is, it is refused, or says of an exchange whether it holds, or that this can't be said. Queries are read as a form's are. */
public final class ConditionFuzzTest {
    private static final String[] PARTS = {
        "request.method",
        "request.path",
        "request.headers",
        "request.params",
        "client.address",
        "response.status",
        "'a'",
        "'10.0.0.0/8'",
        "1",
        " == ",
        " && ",
        " || ",
        "!",
        "(",
        ")",
        "[",
        "]",
        ", ",
        " in ",
        ".matches",
        ".inNet",
        ".exists",
        ".startsWith",
        "int",
        "size",
        "x",
        " ? ",
        " : ",
        "{",
        "}",
        "-"
    };

    private ConditionFuzzTest() {}

    /** Takes the bytes as a query and an expression, or as parts that expressions are made of. */
    public static void fuzzerTestOneInput(FuzzedDataProvider input) throws UndecidedException {
        String query = input.consumeString(40);
        params(query);
        String text =
                input.consumeBoolean() ? input.consumeRemainingAsString() : composed(input.consumeRemainingAsBytes());
        Condition condition;
        try {
            condition = Condition.compile(text);
        } catch (UnfitException e) {
            if (!e.expected().startsWith("an expression in CEL")) {
                throw new AssertionError("of another kind: " + e.expected(), e);
            }
            return;
        }
        try {
            condition.holds(TestExchange.of("GET", "/a", "A: b"));
        } catch (UndecidedException e) {
            if (String.valueOf(e.getMessage()).isEmpty()) {
                throw e;
            }
        }
    }

    /** A parameter that is there is found by its name, and by no other. */
    private static void params(String query) {
        String clean = query.replaceAll("[&=%+]", "");
        String found = new Params(query + "&" + clean + "n=a%20b&" + clean + "n=2").find(clean + "n");
        boolean before = query.contains(clean + "n");
        if (!before && query.indexOf('%') < 0 && query.indexOf('+') < 0 && !"a b".equals(found)) {
            throw new AssertionError(query + ": " + found);
        }
    }

    private static String composed(byte[] choices) {
        StringBuilder text = new StringBuilder();
        for (byte choice : choices) {
            text.append(PARTS[(choice & 0xff) % PARTS.length]);
        }
        return text.toString();
    }
}
