package net.oooops.sigma.plugins.rewritepath;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;

/** Replaces the first match of a regexp in the path. The match is bounded in reads and in stack. */
record RegexpRewrite(Pattern pattern, Template template) implements Plugin {
    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        String path = request.path();
        // OPTIONS * names the server, not a path.
        if (!path.equals("*")) {
            Matcher match = pattern.matcher(new BoundedText(path));
            if (finds(match, path)) {
                request.path(rewritten(path, match));
            }
        }
        return Outcome.CONTINUE;
    }

    private boolean finds(Matcher match, String path) {
        try {
            return match.find();
        } catch (BoundedText.ExhaustedException | StackOverflowError e) {
            // The error is the matcher's own recursion: nothing of the exchange was touched, so the loop goes on.
            String limit = e instanceof BoundedText.ExhaustedException ? e.getMessage() : "stack overflow";
            throw new IllegalStateException(
                    "regexp " + pattern + " on a path of " + path.length() + " characters: " + limit
                            + " (expected: a regexp that doesn't backtrack so much)",
                    e);
        }
    }

    private String rewritten(String path, Matcher match) {
        String result = PathForm.withSingleSlashes(template.expand(path, match));
        if (PathForm.hasDotSegment(result) || !PathForm.isWritten(result)) {
            throw new IllegalStateException("regexp " + pattern + " made \"" + result + "\" of \"" + path
                    + "\" (expected: a path without dot segments, RFC 3986 section 3.3)");
        }
        return result;
    }
}
