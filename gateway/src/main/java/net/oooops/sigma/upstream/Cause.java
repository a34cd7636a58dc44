package net.oooops.sigma.upstream;

/** What a node is ejected for. */
public enum Cause {
    FAULTS("connections failed or answers could not be understood, in a row"),
    TIMEOUTS("answers did not come in time, in a row"),
    ERRORS("answers that tell of an error of its own, in a row"),
    SILENCE("requests wait without any sign of life, while other nodes answer"),
    FAILING("fails far more often than the other nodes"),
    SLOW("answers far more slowly than the other nodes"),
    TRIAL("a trial request failed");

    private final String text;

    Cause(String text) {
        this.text = text;
    }

    /** In words, for logs and whoever looks at nodes. */
    public String text() {
        return text;
    }
}
