package net.oooops.sigma.upstream;

/** What a {@link Node} has done since it was last compared with the others. For the thread that compares. */
final class NodeWindow {
    final Node node;
    /** It is among those that are compared now. */
    boolean compared;

    /** Also those that it couldn't be sent. */
    long requests;

    long failures;
    long answers;
    long latencyNanos;
    long boundedNanos;
    private long requestsSeen;
    private long failuresSeen;
    private long answersSeen;
    private long latencySeen;
    private long boundedSeen;

    NodeWindow(Node node) {
        this.node = node;
    }

    void read() {
        long requestsNow = 0;
        long failuresNow = 0;
        long answersNow = 0;
        long latencyNow = 0;
        long boundedNow = 0;
        for (NodeTally tally : node.tallies()) {
            requestsNow += tally.tries();
            failuresNow += tally.failures();
            answersNow += tally.answers();
            latencyNow += tally.latencyNanos();
            boundedNow += tally.boundedNanos();
        }
        requests = requestsNow - requestsSeen;
        failures = failuresNow - failuresSeen;
        answers = answersNow - answersSeen;
        latencyNanos = latencyNow - latencySeen;
        boundedNanos = boundedNow - boundedSeen;
        requestsSeen = requestsNow;
        failuresSeen = failuresNow;
        answersSeen = answersNow;
        latencySeen = latencyNow;
        boundedSeen = boundedNow;
    }
}
