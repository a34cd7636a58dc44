package net.oooops.sigma.plugin;

import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;

/**
 * Cuts the beginning off of paths, segment by segment, where a route leads into another router. A path that doesn't begin so any more, as a plugin before
 * has changed it, stays as it is. One with parameters of segments ({@code ;}) in what would be cut off is refused: they would be seen by some and not by others.
 *
 * <p>Immutable, safe for use from any thread. Allocates nothing, but for prefixes with parameters, and paths with parameters of segments ({@code ;}).
 */
public final class PrefixCut implements Plugin {
    private static final Ascii NOTHING = Ascii.of("");
    private static final Outcome REFUSED = Outcome.refuse(Fault.REWRITE_REFUSED);

    private final List<String> segments;
    private final Ascii withSlash;
    private final int prefixBytes;

    /** @param prefix the beginning of a route's path, such as {@code /a/:id} */
    public PrefixCut(String prefix) {
        this.segments = List.of(prefix.substring(1).split("/", -1));
        this.withSlash = Ascii.of(prefix + "/");
        this.prefixBytes = prefix.length();
    }

    @Override
    public Needs needs() {
        return Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        // A parameter's name is no segment that a client sends, but by chance: then it is one all the same.
        boolean asWritten = request.pathStartsWith(withSlash);
        int end = asWritten ? prefixBytes : end(request.path());
        if (!asWritten && end > 0 && request.path().lastIndexOf(';', end - 1) >= 0) {
            // Plugins before have seen it, and nobody behind would.
            return REFUSED;
        }
        if (end > 0) {
            boolean isWhole = !asWritten && end == request.path().length();
            request.replacePathPrefix(end, NOTHING);
            if (isWhole) {
                exchange.value(Key.CUT_OFF, true);
            }
        }
        return Outcome.CONTINUE;
    }

    /** Where the prefix ends in that path; 0 where it doesn't begin so. */
    private int end(String path) {
        int at = 0;
        for (String segment : segments) {
            if (at >= path.length() || path.charAt(at) != '/') {
                return 0;
            }
            int slash = path.indexOf('/', at + 1);
            int next = slash < 0 ? path.length() : slash;
            if (!isSame(segment, path.substring(at + 1, next))) {
                return 0;
            }
            at = next;
        }
        return at;
    }

    /** What stands behind a semicolon is passed over, as routes do. */
    private static boolean isSame(String segment, String written) {
        int semicolon = written.indexOf(';');
        String bare = semicolon < 0 ? written : written.substring(0, semicolon);
        return segment.startsWith(":") ? !bare.isEmpty() : segment.equals(bare);
    }
}
