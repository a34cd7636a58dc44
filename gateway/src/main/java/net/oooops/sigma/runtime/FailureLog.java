package net.oooops.sigma.runtime;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.RepeatedLog;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.route.PathFault;
import net.oooops.sigma.tls.NodeTrust;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a Worker says of failures that clients and nodes can cause as often as they like: each cause by itself, at its first failure and
 * then once in a while ({@link RepeatedLog}). Counters count them all.
 */
public final class FailureLog {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private final LongSupplier clockNanos;
    private final WorkerCounters counters;
    private final RepeatedLog ofListeners = new RepeatedLog();
    private final RepeatedLog ofFull = new RepeatedLog();
    private final RepeatedLog ofHandshakes = new RepeatedLog();
    private final RepeatedLog ofNodes = new RepeatedLog();
    private final RepeatedLog ofSurplus = new RepeatedLog();
    private final RepeatedLog ofVersions = new RepeatedLog();
    private final RepeatedLog ofPlugins = new RepeatedLog();
    private final RepeatedLog ofConditions = new RepeatedLog();
    private final RepeatedLog ofBodies = new RepeatedLog();
    private final RepeatedLog ofRewrites = new RepeatedLog();
    private final RepeatedLog ofFrames = new RepeatedLog();
    private final RepeatedLog ofSigma = new RepeatedLog();

    /** How much of a path is shown. */
    private static final int PATH_CHARACTERS_MAX = 200;

    /** Where something was thrown. */
    private record Thrown(Class<?> type, @Nullable StackTraceElement at) {
        private static Thrown of(Throwable cause) {
            StackTraceElement[] stack = cause.getStackTrace();
            return new Thrown(cause.getClass(), stack.length == 0 ? null : stack[0]);
        }
    }

    /**
     * @param clockNanos a monotonic clock
     * @param counters where what has no other place is counted
     */
    FailureLog(LongSupplier clockNanos, WorkerCounters counters) {
        this.clockNanos = clockNanos;
        this.counters = counters;
        Descriptors.prepare();
    }

    /** A plugin may have put anything in it. */
    private static String quoted(String path) {
        String shown = path.length() > PATH_CHARACTERS_MAX ? path.substring(0, PATH_CHARACTERS_MAX) + "…" : path;
        return CONTROL.matcher(shown).replaceAll("?");
    }

    /** A Listener couldn't accept. */
    void accept(String listenerId, Throwable cause) {
        boolean out = Descriptors.areOut(cause);
        if (out) {
            counters.increment(Counter.DOWNSTREAM_OUT_OF_DESCRIPTORS);
        }
        String again = ofListeners.due(listenerId, clockNanos.getAsLong());
        if (again != null) {
            String why = out ? Descriptors.text(cause) : cause.toString();
            LOG.warn("{}: no connection can be accepted, {}{}", listenerId, why, again);
        }
    }

    /** There are so many connections of clients that there is no descriptor for another one. */
    void connectionRefused(String listenerId, int there) {
        counters.increment(Counter.DOWNSTREAM_CONNECTIONS_REFUSED);
        String again = ofFull.due(listenerId, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn("{}: a connection is refused, {}{}", listenerId, Descriptors.text("of clients", there), again);
        }
    }

    /** There are so many sessions of UDP, or connections to nodes, that there is no descriptor for another session. */
    public void sessionRefused(String listenerId, int there) {
        counters.increment(Counter.DATAGRAMS_DROPPED_SESSIONS);
        String again = ofFull.due(listenerId, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn(
                    "{}: a datagram of a new client is dropped, {}{}",
                    listenerId,
                    Descriptors.text("sessions and connections to nodes", there),
                    again);
        }
    }

    /** A client's TLS handshake failed. Anyone can make it, so each Listener and reason is told once in a while. */
    public void handshake(String listenerId, @Nullable SocketAddress client, Throwable cause) {
        Throwable first = cause;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        String again = ofHandshakes.due(listenerId + first.getMessage(), clockNanos.getAsLong());
        if (again != null) {
            Throwable said = NodeTrust.plain(cause);
            String why = String.valueOf((said == cause ? first : said).getMessage());
            String who = client instanceof InetSocketAddress address
                    ? " of " + address.getAddress().getHostAddress()
                    : "";
            LOG.info("{}: TLS handshake{} failed ({}){}", listenerId, who, quoted(why), again);
        }
    }

    /** A node couldn't be reached. */
    public void node(WorkerNode node, Fault fault, Throwable cause) {
        if (fault == Fault.OUT_OF_DESCRIPTORS) {
            noDescriptor(node.upstreamId(), node.name(), cause);
        } else if (fault == Fault.INTERNAL) {
            // It isn't the node's.
            thrown(cause);
        } else {
            String why = String.valueOf(cause.getMessage());
            node(node, fault, cause instanceof SocketException ? plain(why) : why);
        }
    }

    /**
     * What the system says of it: not the call that it was the answer to, as in {@code finishConnect(..) failed with error(-111): Connection refused: /10.0.0.1:80}, and not
     * where that was, which is said beside.
     */
    static String plain(String message) {
        int call = message.indexOf("(..) failed");
        int from = call < 0 ? 0 : message.indexOf(": ", call) + 2;
        int to = message.lastIndexOf(": ");
        boolean placed = to > from && message.indexOf('/', to) >= 0;
        String said = from == 1 ? message : message.substring(from, placed ? to : message.length());
        boolean word = said.length() > 1 && Character.isLowerCase(said.charAt(1));
        return word ? Character.toLowerCase(said.charAt(0)) + said.substring(1) : said;
    }

    /** A node that had a connection failed. */
    public void node(WorkerNode node, Fault fault, String why) {
        node.failed(fault, why);
        String again = ofNodes.due(node, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn("upstream {} node {}: {} ({}){}", node.upstreamId(), node.name(), fault, why, again);
        }
    }

    /** A node gives no sign of life. Said each time: nodes don't cause it often, for it takes some heartbeats. */
    public void silent(WorkerNode node) {
        LOG.warn("upstream {} node {}: no answer to heartbeats, connection closed", node.upstreamId(), node.name());
    }

    /** A node has agreed on another version of HTTP than before. */
    public void agreed(WorkerNode node, String version) {
        String again = ofVersions.due(node, clockNanos.getAsLong());
        if (again != null) {
            LOG.info("upstream {} node {}: {} is agreed on{}", node.upstreamId(), node.name(), version, again);
        }
    }

    /** A node sent more than its whole response. */
    public void surplus(WorkerNode node) {
        String again = ofSurplus.due(node, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn(
                    "upstream {} node {}: sent more than its whole response, which is dropped; its connection is closed{}",
                    node.upstreamId(),
                    node.name(),
                    again);
        }
    }

    /** A node can't be connected to, whichever it is: one line tells of them all. */
    void noDescriptor(String upstreamId, String node, Throwable cause) {
        counters.increment(Counter.UPSTREAM_OUT_OF_DESCRIPTORS);
        String again = ofNodes.due(Fault.OUT_OF_DESCRIPTORS, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn("upstream {} node {}: not connected, {}{}", upstreamId, node, Descriptors.text(cause), again);
        }
    }

    /** A plugin has thrown. */
    public void plugin(String name, Throwable error) {
        String again = ofPlugins.due(name, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn("plugin {} failed{}", name, again, error);
        }
    }

    /** Whether the condition of a plugin holds can't be said. */
    public void undecided(String plugin, Throwable why) {
        counters.increment(Counter.PLUGIN_CONDITIONS_UNDECIDED);
        String again = ofConditions.due(plugin, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn(
                    "plugin {}: its condition can't be evaluated, so it acts ({}){}",
                    plugin,
                    quoted(String.valueOf(why.getMessage())),
                    again);
        }
    }

    /** A plugin refused a body. Anyone can make it, so each plugin is told once in a while. */
    public void refusedBody(String plugin, String why) {
        String again = ofBodies.due(plugin, clockNanos.getAsLong());
        if (again != null) {
            LOG.info("plugin {} refused a body: {}{}", plugin, quoted(why), again);
        }
    }

    /** What a plugin made of a path is refused. */
    public void rewrite(String plugin, PathFault why, String path) {
        String again = ofRewrites.due(plugin, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn("plugin {} made a path that is refused: {} ({}){}", plugin, quoted(path), why.text(), again);
        }
    }

    /** What isn't a frame of Bolt cost a client its connection. */
    public void frame(String why, String listenerId, String client) {
        String again = ofFrames.due(listenerId, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn("{} client {}: connection closed over a frame ({}){}", listenerId, client, why, again);
        }
    }

    /** What isn't a frame of Bolt cost a node its connection. */
    public void frame(String why, WorkerNode node) {
        String again = ofFrames.due(node, clockNanos.getAsLong());
        if (again != null) {
            LOG.warn(
                    "upstream {} node {}: connection closed over a frame ({}){}",
                    node.upstreamId(),
                    node.name(),
                    why,
                    again);
        }
    }

    /** A fault of the gateway itself cost a request or a connection. */
    public void thrown(Throwable cause) {
        String again = ofSigma.due(Thrown.of(cause), clockNanos.getAsLong());
        if (again != null) {
            LOG.error("a fault of the gateway itself, which ended a request or a connection{}", again, cause);
        }
    }
}
