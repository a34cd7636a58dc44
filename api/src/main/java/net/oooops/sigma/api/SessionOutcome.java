package net.oooops.sigma.api;

/** What a plugin decides after it saw a session begin. */
public enum SessionOutcome {
    /** The way goes on with the next plugin. */
    CONTINUE,
    /** The client's connection is reset, its datagram dropped. No later plugin sees the session, and no node does. */
    REFUSE
}
