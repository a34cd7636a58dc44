package net.oooops.sigma.plugins.rewritepath;

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
    private final @Nullable Ascii maybeDotSegment;
    private final RegexpRewrite general;

    private PrefixRewrite(
            @Nullable Cut withSlash, @Nullable Cut without, @Nullable Ascii maybeDotSegment, RegexpRewrite general) {
        this.withSlash = withSlash;
        this.without = without;
        this.maybeDotSegment = maybeDotSegment;
        this.general = general;
    }

    /** The same as {@code general}, whose pattern says {@code literal}; null where its replacement says more. */
    static @Nullable PrefixRewrite of(LiteralPrefix literal, RegexpRewrite general) {
        if (!general.template().isPrefixOf(literal.group())) {
            return null;
        }
        String text = literal.text();
        String replacement = PathForm.withSingleSlashes(general.template().head());
        if (replacement.endsWith("/.") || replacement.endsWith("/..")) {
            return null;
        }
        boolean slashAtEnd = replacement.endsWith("/");
        String thenSlash = slashAtEnd ? replacement : replacement + "/";
        return switch (literal.slash()) {
            case FOLLOWS -> new PrefixRewrite(Cut.of(text + "/", thenSlash), null, null, general);
            case TAKEN ->
                new PrefixRewrite(
                        Cut.of(text + "/", replacement),
                        Cut.of(text, replacement),
                        slashAtEnd ? Ascii.of(text + ".") : null,
                        general);
            case UNSAID -> {
                boolean wouldDouble = slashAtEnd && !text.endsWith("/");
                yield new PrefixRewrite(
                        wouldDouble ? Cut.of(text + "/", replacement) : null,
                        Cut.of(text, replacement),
                        wouldDouble ? Ascii.of(text + ".") : null,
                        general);
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
        // The rest of a cut segment may be a dot segment: /test.. without ^/test is /..
        if (maybeDotSegment != null && request.pathStartsWith(maybeDotSegment)) {
            return general.onRequest(exchange);
        }
        if (without != null) {
            without.apply(request);
        }
        return Outcome.CONTINUE;
    }
}
