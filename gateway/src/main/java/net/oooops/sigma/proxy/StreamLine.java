package net.oooops.sigma.proxy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tries that wait for a stream of HTTP/2, in the order in which they began. Those that ask for another protocol have a line of their
 * own beside the others': not each connection takes these (RFC 8441).
 *
 * <p>Belongs to one Worker.
 */
final class StreamLine {
    private final ArrayDeque<Attempt> requests = new ArrayDeque<>();
    private final ArrayDeque<Attempt> tunnels = new ArrayDeque<>();

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
        (isTunnel(attempt) ? tunnels : requests).add(attempt);
    }

    /** Takes it out; whether it was there. */
    boolean remove(Attempt attempt) {
        return (isTunnel(attempt) ? tunnels : requests).remove(attempt);
    }

    /** Takes out who has waited longest, or returns null. */
    @Nullable Attempt poll(boolean tunnelsToo) {
        Attempt request = requests.peek();
        Attempt tunnel = tunnelsToo ? tunnels.peek() : null;
        boolean tunnelFirst = tunnel != null && (request == null || tunnel.beganNanos - request.beganNanos < 0);
        return tunnelFirst ? tunnels.poll() : requests.poll();
    }

    /** One of those that wait: there has to be one. */
    Attempt any() {
        return requests.isEmpty() ? tunnels.getFirst() : requests.getFirst();
    }

    /** All that wait at the moment. */
    List<Attempt> all() {
        List<Attempt> all = new ArrayList<>(requests);
        all.addAll(tunnels);
        return all;
    }

    /** All of them that ask for another protocol. */
    List<Attempt> allTunnels() {
        return List.copyOf(tunnels);
    }
}
