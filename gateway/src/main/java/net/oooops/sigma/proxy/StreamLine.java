package net.oooops.sigma.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.upstream.Line;
import org.jspecify.annotations.Nullable;

/**
 * The tries that wait for a stream of HTTP/2, in the order in which they began. Those that ask for another protocol have a line of their
 * own beside the others': not each connection takes these (RFC 8441).
 *
 * <p>Belongs to one Worker.
 */
final class StreamLine {
    private final Line<Attempt> requests = new Line<>();
    private final Line<Attempt> tunnels = new Line<>();

    /** Whether it asks for another protocol. */
    static boolean isTunnel(Attempt attempt) {
        return attempt.exchange.request.head.isSwitching();
    }

    int size() {
        return requests.size() + tunnels.size();
    }

    boolean isEmpty() {
        return requests.isEmpty() && tunnels.isEmpty();
    }

    boolean hasTunnels() {
        return !tunnels.isEmpty();
    }

    void add(Attempt attempt) {
        (isTunnel(attempt) ? tunnels : requests).add(attempt.waiting);
    }

    /** Takes it out; whether it was there. */
    boolean remove(Attempt attempt) {
        return requests.remove(attempt.waiting) || tunnels.remove(attempt.waiting);
    }

    /** Takes out who has waited longest, or returns null. */
    @Nullable Attempt poll(boolean tunnelsToo) {
        Attempt request = requests.first();
        Attempt tunnel = tunnelsToo ? tunnels.first() : null;
        boolean tunnelFirst = tunnel != null && (request == null || tunnel.beganNanos - request.beganNanos < 0);
        return tunnelFirst ? tunnels.poll() : requests.poll();
    }

    /** One of those that wait: there has to be one. */
    Attempt any() {
        Attempt request = requests.first();
        return request == null ? Objects.requireNonNull(tunnels.first(), "nobody waits") : request;
    }

    /** All that wait at the moment. */
    List<Attempt> all() {
        List<Attempt> all = new ArrayList<>(size());
        addAll(requests, all);
        addAll(tunnels, all);
        return all;
    }

    /** All of them that ask for another protocol. */
    List<Attempt> allTunnels() {
        List<Attempt> all = new ArrayList<>(tunnels.size());
        addAll(tunnels, all);
        return all;
    }

    private static void addAll(Line<Attempt> line, List<Attempt> all) {
        for (Attempt next = line.first(); next != null; next = next.waiting.after()) {
            all.add(next);
        }
    }
}
