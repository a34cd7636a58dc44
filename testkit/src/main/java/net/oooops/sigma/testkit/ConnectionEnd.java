package net.oooops.sigma.testkit;

/** How a connection ended, seen from the side that reports it. */
public enum ConnectionEnd {
    /** It has not been seen to end. */
    OPEN,
    /** The peer sent a FIN. */
    CLOSED_BY_PEER,
    /** The peer sent a RST. */
    RESET_BY_PEER,
    /** This side closed first. */
    CLOSED_HERE,
    /** This side reset it. */
    RESET_HERE
}
