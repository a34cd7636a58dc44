package net.oooops.sigma.config;

/**
 * A condition on a header field or a query parameter.
 *
 * @param name the header's name (compared without case, kept as written) or the query parameter's (compared as written)
 * @param kind how the value is compared
 * @param value what it is compared with: text, prefix or a regular expression that compiles; empty for PRESENT and ABSENT
 */
public record ValueMatch(String name, Kind kind, String value) {

    /** How a value is compared. */
    public enum Kind {
        EXACT,
        PREFIX,
        /** The whole value matches the expression. */
        REGEXP,
        /** {@code "present": true}. */
        PRESENT,
        /** {@code "present": false}. */
        ABSENT
    }

    /** Without the value, which may be a secret. */
    @Override
    public String toString() {
        return name + " " + kind;
    }
}
