package net.oooops.sigma.route;

/** What became of a route in a match. */
public enum Verdict {
    /** It is taken. */
    WINS,
    /** It would do, but a more specific one, or one written before it, is taken. */
    LESS_SPECIFIC,
    /** It does not take the method. */
    METHOD,
    /** It does not take the Content-Type. */
    CONSUMES,
    /** It makes nothing that Accept admits. */
    PRODUCES,
    /** A condition on a header field does not hold. */
    HEADER,
    /** A condition on a query parameter does not hold. */
    QUERY,
    /** Its path is another. */
    PATH,
    /** Its host is another. */
    HOST
}
