package net.oooops.sigma.plugins.redirect;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers with a redirection (RFC 9110 section 15.4). */
final class Redirect implements Plugin {
    private static final Logger LOG = LoggerFactory.getLogger(Redirect.class);
    private static final FieldName LOCATION = FieldName.of("Location");
    private static final Outcome NO_HOST = Outcome.respond(Response.line(400, "The request names no host."));

    private final Target target;
    private final boolean namesHost;
    private final int status;
    private final @Nullable Pattern pattern;
    private final Outcome refused;
    private final AtomicBoolean said = new AtomicBoolean();
    /** Where it is always the same. */
    private final @Nullable Outcome constant;

    /**
     * @param pattern what is found in the paths of those that are redirected; null for all
     * @param refused what becomes of requests for whose path the pattern takes too much
     */
    Redirect(Target target, int status, @Nullable Pattern pattern, Outcome refused) {
        this.target = target;
        this.namesHost = target.namesHost();
        this.status = status;
        this.pattern = pattern;
        this.refused = refused;
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
            try {
                if (!BoundedText.find(match)) {
                    return Outcome.CONTINUE;
                }
            } catch (BoundedText.ExhaustedException e) {
                return refused(match.pattern(), path, e);
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

    private Outcome refused(Pattern regexp, String path, BoundedText.ExhaustedException why) {
        if (said.compareAndSet(false, true)) {
            LOG.warn(
                    "regexp {} on a path of {} characters: {}; the request is refused, and such requests are counted from now on"
                            + " (expected: a regexp that doesn't backtrack so much)",
                    regexp,
                    path.length(),
                    why.getMessage());
        }
        return refused;
    }
}
