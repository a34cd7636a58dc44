package net.oooops.sigma.health;

import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.ActiveCheckConfig.Bolt;
import net.oooops.sigma.config.ActiveCheckConfig.Http;
import net.oooops.sigma.config.ActiveCheckConfig.Tcp;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.tls.NodeTls;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the nodes of all upstreams that say so, for the whole process: each at its own interval, over a connection of its own, no
 * more than {@link #CHECKS_MAX} at once. What is due beyond that waits in line.
 *
 * <p>Any thread may call it; the work is done on one event loop of the {@link Vertx} it is given.
 */
public final class HealthChecker {
    /** Checks at once. */
    public static final int CHECKS_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger(HealthChecker.class);

    private final Vertx vertx;
    private final Context context;
    private final CheckListener listener;
    private final NameResolution names;
    private final Function<String, @Nullable NodeTls> tlsOf;
    private final HttpClientAgent http;
    private final HttpClientAgent http2;
    private final HttpClientAgent agreed;
    private final NetClient tcp;
    private final DoubleSupplier chance;
    private final Map<String, Watched> byUpstream = new LinkedHashMap<>();
    private final ArrayDeque<NodeCheck> line = new ArrayDeque<>();
    private int underWay;
    private boolean closed;
    private volatile List<NodeCheck> all = List.of();

    /** What is checked of one upstream. */
    private record Watched(Manner manner, Map<String, NodeCheck> nodes) {}

    /**
     * How nodes are asked: where anything in it is another, all that is known of them was found in another way.
     *
     * @param tls the same object where TLS is spoken as before
     */
    private record Manner(
            ActiveCheckConfig config,
            Protocol protocol,
            HttpVersion version,
            @Nullable NodeTls tls) {}

    /**
     * Checks nothing yet.
     *
     * @param vertx whose event loops are not the Workers'
     * @param names makes what resolves names for the event loop that it is given
     * @param tlsOf how TLS is spoken to the nodes of an upstream, by its id; null where it isn't
     * @param listener told of all that is found
     */
    public HealthChecker(
            Vertx vertx,
            Function<EventLoop, NameResolution> names,
            Function<String, @Nullable NodeTls> tlsOf,
            CheckListener listener) {
        this(vertx, names, tlsOf, listener, () -> ThreadLocalRandom.current().nextDouble());
    }

    /** @param chance shortens and lengthens waits: numbers of at least 0 and less than 1 */
    HealthChecker(
            Vertx vertx,
            Function<EventLoop, NameResolution> names,
            Function<String, @Nullable NodeTls> tlsOf,
            CheckListener listener,
            DoubleSupplier chance) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.listener = listener;
        this.tlsOf = tlsOf;
        this.chance = chance;
        this.names = names.apply(((ContextInternal) context).nettyEventLoop());
        this.http = vertx.createHttpClient(HttpProbe.options());
        this.http2 = vertx.createHttpClient(HttpProbe.optionsOfHttp2(HttpVersion.HTTP_2));
        this.agreed = vertx.createHttpClient(HttpProbe.optionsOfHttp2(HttpVersion.AGREED));
        this.tcp = vertx.createNetClient(new NetClientOptions());
    }

    /**
     * Checks the nodes of an upstream from now on, as it says. Called again with another list of nodes: those that are there as before
     * keep what is known of them, new ones are checked at once, those that are gone no longer. Where its nodes are to be asked in
     * another way (the settings of the checks, the version of HTTP, TLS), all are checked anew.
     */
    public void watch(UpstreamConfig upstream) {
        context.runOnContext(now -> {
            if (!closed) {
                watchHere(upstream);
            }
        });
    }

    /** Checks the nodes of that upstream no longer: nothing is known of them from then on. */
    public void forget(String upstreamId) {
        context.runOnContext(now -> {
            letGo(upstreamId);
            publish();
        });
    }

    /** Tells once more which nodes of that upstream are up and which are down, as far as it is known: somebody else listens. */
    public void tellAgain(String upstreamId) {
        context.runOnContext(now -> {
            Watched watched = byUpstream.get(upstreamId);
            if (watched != null) {
                watched.nodes().values().forEach(check -> tellState(check.view()));
            }
        });
    }

    /** Ends all checks; nothing is told from when the future is complete. */
    public Future<Void> close() {
        Promise<Void> done = Promise.promise();
        context.runOnContext(now -> {
            closed = true;
            List.copyOf(byUpstream.keySet()).forEach(this::forgetHere);
            publish();
            Future.join(http.close(), http2.close(), agreed.close(), tcp.close())
                    .onComplete(ended -> done.complete());
        });
        return done.future();
    }

    /** What is known of all nodes that are checked, in the order in which they came. */
    public List<CheckView> views() {
        return all.stream().map(NodeCheck::view).toList();
    }

    private void watchHere(UpstreamConfig upstream) {
        ActiveCheckConfig config = upstream.health().active();
        if (config == null) {
            letGo(upstream.id());
        } else {
            Manner manner = new Manner(config, upstream.protocol(), upstream.httpVersion(), tlsOf.apply(upstream.id()));
            Watched before = byUpstream.get(upstream.id());
            if (before != null && !before.manner().equals(manner)) {
                // What was found stays said until the first check in the new way has ended.
                forgetHere(upstream.id());
                before = null;
            }
            byUpstream.put(upstream.id(), new Watched(manner, checks(upstream, manner, before)));
        }
        publish();
    }

    private Map<String, NodeCheck> checks(UpstreamConfig upstream, Manner manner, @Nullable Watched before) {
        Map<String, NodeCheck> gone = before == null ? new HashMap<>() : new HashMap<>(before.nodes());
        Map<String, NodeCheck> checks = new LinkedHashMap<>();
        for (NodeConfig node : upstream.nodes()) {
            NodeCheck kept = gone.remove(node.hostAndPort());
            if (kept == null) {
                kept = new NodeCheck(
                        this,
                        vertx,
                        new NodeCheck.Subject(upstream.id(), node, manner.config(), probe(upstream, manner, node)));
                due(kept);
            }
            checks.put(node.hostAndPort(), kept);
        }
        gone.values().forEach(NodeCheck::stop);
        return checks;
    }

    private Probe probe(UpstreamConfig upstream, Manner manner, NodeConfig node) {
        ActiveCheckConfig config = manner.config();
        NodeTls tls = manner.tls();
        int port = config.port() == 0 ? node.port() : config.port();
        return switch (config.question()) {
            case Http question ->
                new HttpProbe(
                        client(manner.version()),
                        question,
                        upstream.authority(new NodeConfig(node.host(), port, node.weight())),
                        Secure.of(tls, node.host()));
            case Tcp question -> TcpProbe.of(tcp, question, Secure.of(tls, node.host()));
            case Bolt question -> Heartbeat.probe(tcp, question, Secure.of(tls, node.host()));
        };
    }

    private HttpClientAgent client(HttpVersion version) {
        return switch (version) {
            case HTTP_1_1 -> http;
            case HTTP_2 -> http2;
            case AGREED -> agreed;
        };
    }

    /** Nobody may be left down by what is checked no longer. */
    private void letGo(String upstreamId) {
        Watched watched = forgetHere(upstreamId);
        if (watched != null) {
            watched.nodes().keySet().forEach(node -> listener.unchecked(upstreamId, node));
        }
    }

    private @Nullable Watched forgetHere(String upstreamId) {
        Watched watched = byUpstream.remove(upstreamId);
        if (watched != null) {
            watched.nodes().values().forEach(NodeCheck::stop);
        }
        return watched;
    }

    private void publish() {
        List<NodeCheck> now = new ArrayList<>();
        byUpstream.values().forEach(watched -> now.addAll(watched.nodes().values()));
        all = List.copyOf(now);
    }

    // For its nodes' checks, on its event loop

    NameResolution names() {
        return names;
    }

    DoubleSupplier chance() {
        return chance;
    }

    /** A node is to be asked, as soon as others have left room. */
    void due(NodeCheck check) {
        line.add(check);
        next();
    }

    /** One attempt is over. */
    void over() {
        underWay--;
        next();
    }

    private void next() {
        while (underWay < CHECKS_MAX) {
            NodeCheck check = line.poll();
            if (check == null) {
                return;
            }
            if (!check.isStopped()) {
                underWay++;
                check.ask();
            }
        }
    }

    /**
     * Tells how a check ended, and where that makes a difference what it changed.
     *
     * @return whether it could be told: else what it changed is to be told with the next one
     */
    boolean tell(CheckView now, boolean passed, boolean news) {
        String id = now.upstreamId();
        try {
            if (passed) {
                listener.passed(id, now.node(), now.latencyNanos());
            } else {
                listener.failed(id, now.node(), now.why());
            }
            if (news) {
                tellState(now);
            }
            return true;
        } catch (Exception | Error e) {
            // Whatever it is: checks go on.
            LOG.error("what a check of node {} found could not be told", now.node(), e);
            return false;
        }
    }

    private void tellState(CheckView now) {
        switch (now.state()) {
            case UNKNOWN -> {}
            case HEALTHY -> listener.up(now.upstreamId(), now.node());
            case UNHEALTHY ->
                listener.down(now.upstreamId(), now.node(), now.why().isEmpty() ? "it isn't up again yet" : now.why());
        }
    }
}
