package net.oooops.sigma.proxy;

/**
 * How far an exchange has come. Numbers, since what is written with each request should be no reference: docs/adr/0033-collector.md.
 */
final class Stage {
    /** Its head is being read, or its body collected. */
    static final int READING = 0;
    /** Plugins see the request. */
    static final int REQUEST_PLUGINS = 1;
    /** It waits for a connection to a node. */
    static final int ACQUIRING = 2;
    /** Its head has gone upstream. */
    static final int SENT = 3;
    /** There is a response; plugins see it, or its body is collected. */
    static final int RESPONSE_PLUGINS = 4;
    /** The response's head has been written to the client. */
    static final int ANSWERING = 5;

    static final int ENDED = 6;

    private Stage() {}
}
