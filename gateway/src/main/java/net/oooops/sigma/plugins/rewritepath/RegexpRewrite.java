package net.oooops.sigma.plugins.rewritepath;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.BoundedText;
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
            BarePath seen = namesParameters() ? BarePath.whole(path) : BarePath.of(path);
            Matcher match = pattern.matcher(new BoundedText(seen.text()));
            if (finds(match, path)) {
                String result = PathForm.withSingleSlashes(template.expand(seen, match));
                // Not judged here: what becomes of it is for the road to say, as of a client's path.
                request.replacePathPrefix(path.length(), Ascii.of(result));
            }
        }
        return Outcome.CONTINUE;
    }

    /** Whether the regexp says something of parameters: then it sees them, else it sees the path as routes do. */
    boolean namesParameters() {
        return pattern.pattern().indexOf(';') >= 0;
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
}
