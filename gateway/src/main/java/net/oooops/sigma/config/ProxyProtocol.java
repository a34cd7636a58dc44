package net.oooops.sigma.config;

/** The header that tells a node which client a session is of. */
public enum ProxyProtocol {
    /** None is sent. */
    NONE,
    /** A line of text. */
    V1,
    /** Binary. */
    V2
}
