package net.oooops.sigma.plugins.rewritepath;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a literal prefix of the path, with the same result as the regexp that says so. Allocates nothing.
 *
 * <p>Two prefixes are tried: one with a slash at its end, which keeps slashes from being doubled, then one without.
 */
final class PrefixRewrite implements Plugin {
    /** A prefix and what takes its place. */
    private record Cut(Ascii prefix, Ascii replacement) {
        static Cut of(String prefix, String replacement) {
            return new Cut(Ascii.of(prefix), Ascii.of(replacement));
        }

        boolean apply(RequestHead request) {
            if (!request.pathStartsWith(prefix)) {
                return false;
            }
            request.replacePathPrefix(prefix.length(), replacement);
            return true;
        }
    }

    private final @Nullable Cut withSlash;
    private final @Nullable Cut without;
    /** The segments of the prefix, each with those before it and a semicolon: with these the path has parameters within the prefix. */
    private final Ascii[] withParameters;

    private final RegexpRewrite general;

    private PrefixRewrite(@Nullable Cut withSlash, @Nullable Cut without, String text, RegexpRewrite general) {
        this.withSlash = withSlash;
        this.without = without;
        this.withParameters = general.namesParameters() ? new Ascii[0] : withParameters(text);
        this.general = general;
    }

    private static Ascii[] withParameters(String text) {
        List<Ascii> each = new ArrayList<>();
        for (int end = text.indexOf('/', 1); end >= 0; end = text.indexOf('/', end + 1)) {
            each.add(Ascii.of(text.substring(0, end) + ";"));
        }
        if (!text.endsWith("/")) {
            each.add(Ascii.of(text + ";"));
        }
        return each.toArray(Ascii[]::new);
    }

    /** The same as {@code general}, whose pattern says {@code literal}; null where its replacement says more. */
    static @Nullable PrefixRewrite of(LiteralPrefix literal, RegexpRewrite general) {
        if (!general.template().isPrefixOf(literal.group())) {
            return null;
        }
        String text = literal.text();
        String replacement = PathForm.withSingleSlashes(general.template().head());
        boolean slashAtEnd = replacement.endsWith("/");
        String thenSlash = slashAtEnd ? replacement : replacement + "/";
        return switch (literal.slash()) {
            case FOLLOWS -> new PrefixRewrite(Cut.of(text + "/", thenSlash), null, text, general);
            case TAKEN -> new PrefixRewrite(Cut.of(text + "/", replacement), Cut.of(text, replacement), text, general);
            case UNSAID -> {
                boolean wouldDouble = slashAtEnd && !text.endsWith("/");
                yield new PrefixRewrite(
                        wouldDouble ? Cut.of(text + "/", replacement) : null, Cut.of(text, replacement), text, general);
            }
        };
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        if (withSlash != null && withSlash.apply(request)) {
            return Outcome.CONTINUE;
        }
        for (Ascii parameters : withParameters) {
            if (request.pathStartsWith(parameters)) {
                return general.onRequest(exchange);
            }
        }
        if (without != null) {
            without.apply(request);
        }
        return Outcome.CONTINUE;
    }
}
