package net.oooops.sigma.config;

/**
 * What {@code consistent-hash} goes by.
 *
 * @param by the part of a request
 * @param name of the field, cookie or query parameter; else empty
 * @param maxLoad how many times the average in flight a node may have before its keys are passed on, above 1; or {@link #UNBOUNDED}
 */
public record HashConfig(By by, String name, double maxLoad) {

    /** A {@link #maxLoad} without bound. */
    public static final double UNBOUNDED = 0;

    static final double MAX_LOAD_DEFAULT = 1.25;

    /** The parts of a request that may be hashed. */
    public enum By {
        /** The value of a header field. */
        FIELD,
        /** The value of a cookie. */
        COOKIE,
        /** The value of a query parameter. */
        QUERY,
        /** The client's address: for HTTP, as far as forwarding fields are believed. */
        CLIENT_ADDRESS,
        /** The path, without query. */
        PATH
    }
}
