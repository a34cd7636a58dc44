package net.oooops.sigma.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What each node of an upstream is asked now and then, and how often.
 *
 * @param question what it is asked
 * @param port that it is asked at, or 0 for the node's own
 * @param rhythm how often
 * @param healthyCount checks in a row that passed after which an unhealthy node is healthy
 * @param unhealthyCount checks in a row that failed after which a healthy node is unhealthy
 */
public record ActiveCheckConfig(Question question, int port, Rhythm rhythm, int healthyCount, int unhealthyCount) {

    /**
     * How often a node is asked.
     *
     * @param intervalNanos from the beginning of one check to the next while it is healthy
     * @param unhealthyIntervalNanos the same while it isn't
     * @param timeoutNanos how long a check may take, at most {@code intervalNanos}
     * @param jitterPercent by how much each wait is longer or shorter, 0 to 50
     */
    public record Rhythm(long intervalNanos, long unhealthyIntervalNanos, long timeoutNanos, int jitterPercent) {}

    /** What a node is asked. */
    public sealed interface Question {}

    /**
     * A request of HTTP/1.1.
     *
     * @param path with its query
     * @param method in upper case
     * @param host of the Host field, or null for that of the node
     * @param statuses that pass
     * @param text that the body has to have in it, or null where it doesn't matter
     */
    public record Http(
            String path,
            String method,
            @Nullable String host,
            List<Statuses> statuses,
            @Nullable String text) implements Question {

        public Http {
            statuses = List.copyOf(statuses);
        }
    }

    /** Statuses of HTTP, both included. */
    public record Statuses(int from, int to) {
        /** As sigma.json writes it: {@code 200} or {@code 200-299}. */
        @Override
        public String toString() {
            return from == to ? String.valueOf(from) : from + "-" + to;
        }
    }

    /**
     * A connection, and what passes on it.
     *
     * @param sendHex the bytes that are sent, in hexadecimal; empty for none
     * @param expectHex the bytes that have to come; empty where connecting is enough
     */
    public record Tcp(String sendHex, String expectHex) implements Question {
        /** Without what passes, which may be a secret. */
        @Override
        public String toString() {
            return "Tcp";
        }
    }

    /**
     * A heartbeat of Bolt.
     *
     * @param protocol 1 or 2
     */
    public record Bolt(int protocol) implements Question {}
}
