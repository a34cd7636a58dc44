package net.oooops.sigma.bolt;

/** What a response has to repeat of its request. */
interface Correlation {
    /** How the request was laid out. */
    FrameForm form();

    /** The id that the sender gave it. */
    int id();

    /** Its codec. */
    int codec();

    /** Its switch byte; 0 where the form has none. */
    int switches();

    /** Whether it is a heartbeat. */
    boolean isHeartbeat();
}
