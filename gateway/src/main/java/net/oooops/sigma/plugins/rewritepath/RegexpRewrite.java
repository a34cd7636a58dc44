package net.oooops.sigma.plugins.rewritepath;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.BoundedText;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the first match of a regexp in the path. The match is bounded in reads and in stack: what a client sends may lead beyond, which isn't the
 * plugin's failure.
 */
final class RegexpRewrite implements Plugin {
    private static final Logger LOG = LoggerFactory.getLogger(RegexpRewrite.class);

    private final Pattern pattern;
    private final Template template;
    private final Outcome refused;
    private final AtomicBoolean said = new AtomicBoolean();

    /** @param refused what becomes of requests for whose path the regexp takes too much */
    RegexpRewrite(Pattern pattern, Template template, Outcome refused) {
        this.pattern = pattern;
        this.template = template;
        this.refused = refused;
    }

    /** What takes the place of a match. */
    Template template() {
        return template;
    }

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
            try {
                if (!BoundedText.find(match)) {
                    return Outcome.CONTINUE;
                }
            } catch (BoundedText.ExhaustedException e) {
                return refused(path, e);
            }
            String result = PathForm.withSingleSlashes(template.expand(seen, match));
            // Not judged here: what becomes of it is for the road to say, as of a client's path.
            request.replacePathPrefix(path.length(), Ascii.of(result));
        }
        return Outcome.CONTINUE;
    }

    /** Whether the regexp says something of parameters: then it sees them, else it sees the path as routes do. */
    boolean namesParameters() {
        return pattern.pattern().indexOf(';') >= 0;
    }

    private Outcome refused(String path, BoundedText.ExhaustedException why) {
        if (said.compareAndSet(false, true)) {
            LOG.warn(
                    "regexp {} on a path of {} characters: {}; the request is refused, and such requests are counted from now on"
                            + " (expected: a regexp that doesn't backtrack so much)",
                    pattern,
                    path.length(),
                    why.getMessage());
        }
        return refused;
    }
}
