package net.oooops.sigma.upstream;

/**
 * What all Workers have counted of one {@link Node} until some moment. Each number is exact; two may be of different moments.
 *
 * @param requests requests, sessions and calls that were sent to it
 * @param connectFailures those that weren't, as no connection to it could be opened
 * @param failures answers that told of an error, or didn't come
 * @param retries tries on it that came to nothing and were followed by another one
 * @param buckets how many latencies were at most each of {@link #boundsNanos} and above the one before; at last those above all
 * @param latencyNanos the sum of these latencies
 */
@SuppressWarnings("ArrayRecordComponent") // Read once, compared by nobody.
public record NodeCounts(
        long requests, long connectFailures, long failures, long retries, long[] buckets, long latencyNanos) {
    /** The upper bounds of all buckets but the last, in nanoseconds. */
    public static long[] boundsNanos() {
        return NodeTally.boundsNanos();
    }

    static NodeCounts of(NodeTally[] tallies) {
        long requests = 0;
        long connectFailures = 0;
        long failures = 0;
        long retries = 0;
        long latencyNanos = 0;
        long[] buckets = new long[NodeTally.boundsNanos().length + 1];
        for (NodeTally tally : tallies) {
            requests += tally.sentCount();
            connectFailures += tally.connectFailures();
            failures += tally.failures();
            retries += tally.retries();
            latencyNanos += tally.observedNanos();
            tally.addTo(buckets);
        }
        return new NodeCounts(requests, connectFailures, failures, retries, buckets, latencyNanos);
    }
}
