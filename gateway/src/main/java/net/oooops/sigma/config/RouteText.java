package net.oooops.sigma.config;

import org.jspecify.annotations.Nullable;

/**
 * Where a route is written.
 *
 * @param start where it begins in the text of its file
 * @param end where the text behind it begins
 * @param lineEnds how many line ends are in it
 * @param lastLine where its last line begins, counted from its start; 0 where it is a single line
 * @param route what it says, where nothing is wrong with it; null where that isn't known
 */
record RouteText(
        int start,
        int end,
        int lineEnds,
        int lastLine,
        @Nullable RouteConfig route) {
    int length() {
        return end - start;
    }

    /** The same text at another place. */
    RouteText movedTo(int other) {
        return new RouteText(other, other + length(), lineEnds, lastLine, route);
    }

    /** The same, of which it is known what it says. */
    RouteText saying(RouteConfig known) {
        return new RouteText(start, end, lineEnds, lastLine, known);
    }
}
