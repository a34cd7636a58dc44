package net.oooops.sigma.plugins.redirect;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.BoundedText;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PathParameter;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Response;
import org.jspecify.annotations.Nullable;

/** Answers with a redirection (RFC 9110 section 15.4). */
final class Redirect implements Plugin {
    private static final FieldName LOCATION = FieldName.of("Location");
    private static final Outcome NO_HOST = Outcome.respond(Response.text(400, "The request names no host."));

    private final Target target;
    private final boolean namesHost;
    private final int status;
    private final @Nullable Pattern pattern;
    /** Where it is always the same. */
    private final @Nullable Outcome constant;

    /** @param pattern what is found in the paths of those that are redirected; null for all */
    Redirect(Target target, int status, @Nullable Pattern pattern) {
        this.target = target;
        this.namesHost = target.namesHost();
        this.status = status;
        this.pattern = pattern;
        String text = target.constant();
        this.constant = text == null ? null : to(text);
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public List<PathParameter> parameters() {
        return target.parameters().stream()
                .map(name -> new PathParameter(name, "/to"))
                .toList();
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        Matcher match = null;
        if (pattern != null) {
            String path = exchange.request().path();
            match = pattern.matcher(new BoundedText(path));
            if (!finds(match, path)) {
                return Outcome.CONTINUE;
            }
        }
        if (constant != null) {
            return constant;
        }
        if (namesHost && exchange.request().authority().isEmpty()) {
            return NO_HOST;
        }
        return to(target.expand(exchange, match));
    }

    private Outcome to(String location) {
        return Outcome.respond(Response.of(status, Field.of(LOCATION, location)));
    }

    private static boolean finds(Matcher match, String path) {
        try {
            return match.find();
        } catch (BoundedText.ExhaustedException | StackOverflowError e) {
            // The error is the matcher's own recursion: nothing of the exchange was touched, so the loop goes on.
            String limit = e instanceof BoundedText.ExhaustedException ? e.getMessage() : "stack overflow";
            throw new IllegalStateException(
                    "regexp " + match.pattern() + " on a path of " + path.length() + " characters: " + limit
                            + " (expected: a regexp that doesn't backtrack so much)",
                    e);
        }
    }
}
