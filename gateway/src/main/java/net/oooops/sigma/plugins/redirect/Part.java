package net.oooops.sigma.plugins.redirect;

/**
 * A part of a target.
 *
 * @param text with TEXT that text, with PARAMETER its name
 * @param group with GROUP its number
 * @param inQuery whether it stands behind a question mark
 */
record Part(Kind kind, String text, int group, boolean inQuery) {
    /** What stands in its place. */
    enum Kind {
        /** Itself. */
        TEXT,
        /** {@code http} or {@code https}. */
        SCHEME,
        /** Host of the request, without the port. */
        HOST,
        /** Host and port. */
        AUTHORITY,
        /** The path that the client asked for. */
        PATH,
        /** The query and what leads to it. */
        QUERY,
        /** A parameter of the Route's path. */
        PARAMETER,
        /** What a group of the regexp found. */
        GROUP
    }

    /** Whether it is the client that says what stands there, as a part of a path. */
    boolean isOfPath() {
        return kind == Kind.PATH || kind == Kind.PARAMETER || kind == Kind.GROUP;
    }
}
