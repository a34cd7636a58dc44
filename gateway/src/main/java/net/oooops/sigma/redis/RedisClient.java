package net.oooops.sigma.redis;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TrustOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.X509ExtendedKeyManager;
import net.oooops.sigma.api.RedisException;
import net.oooops.sigma.api.RedisException.Kind;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.RedisConfig;
import net.oooops.sigma.tls.NodeTls;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one Redis. Commands are given to the next one that is ready. Until the first attempt to connect has ended they are kept; while none is
 * ready after that, they fail at once.
 *
 * <p>{@link #send} and {@link #isUsable}: any thread. Everything else: its event loop, but {@link #close} and {@link #retire}, which any thread may call.
 */
final class RedisClient {
    private static final Logger LOG = LoggerFactory.getLogger(RedisClient.class);
    private static final long TICK_MILLIS_MAX = 50;

    private final Vertx vertx;
    private final Context context;
    private final RedisConfig config;
    private final RedisCounts counts;
    private final NetClient net;
    private final @Nullable NodeTls tls;
    private final List<Connection> connections = new ArrayList<>();
    /** Those that came before there was a connection. */
    private final ArrayDeque<Command<?>> early = new ArrayDeque<>();

    private final AtomicInteger waitingCount = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();
    private volatile boolean usable = true;
    private int next;
    private boolean gone;
    private boolean ticking;
    private volatile boolean closed;

    RedisClient(Vertx vertx, RedisConfig config, RedisCounts counts) {
        this.vertx = vertx;
        this.config = config;
        this.counts = counts;
        this.tls = config.tls() == null ? null : new NodeTls(config.tls());
        this.context = vertx.getOrCreateContext();
        this.net = vertx.createNetClient(new NetClientOptions()
                .setConnectTimeout(Math.toIntExact(
                        TimeUnit.NANOSECONDS.toMillis(config.bounds().connectTimeoutNanos())))
                .setTcpKeepAlive(true));
        for (int i = 0; i < config.bounds().connections(); i++) {
            connections.add(new Connection(this));
        }
        context.runOnContext(now -> connections.forEach(Connection::open));
    }

    RedisConfig config() {
        return config;
    }

    RedisCounts counts() {
        return counts;
    }

    Vertx vertx() {
        return vertx;
    }

    /** Whether a command may be answered. */
    boolean isUsable() {
        return usable;
    }

    /** Sends it, or fails it. */
    void send(Command<?> command) {
        int bytes = command.wire().length;
        RedisConfig.Bounds bounds = config.bounds();
        counts.waiting(1);
        // Both are counted before either is looked at: whoever is refused takes both back.
        boolean few = waitingCount.incrementAndGet() <= bounds.waitingMax();
        boolean small = waitingBytes.addAndGet(bytes) <= bounds.waitingBytesMax();
        command.answer().whenComplete((answer, failed) -> left(bytes));
        if (!few || !small) {
            fail(
                    command,
                    Kind.FULL,
                    "commands wait (expected: max-waiting " + bounds.waitingMax() + ", max-waiting-size "
                            + bounds.waitingBytesMax() + " bytes at most)");
            return;
        }
        counts.command();
        command.until(System.nanoTime() + bounds.commandTimeoutNanos());
        try {
            context.runOnContext(now -> give(command));
        } catch (RejectedExecutionException e) {
            fail(command, Kind.GONE, "closed");
        }
    }

    private void left(int bytes) {
        counts.waiting(-1);
        waitingCount.decrementAndGet();
        waitingBytes.addAndGet(-bytes);
    }

    void fail(Command<?> command, Kind kind, String why) {
        command.fail(counts.failure(kind, "redis " + config.id() + ": " + why));
    }

    private void give(Command<?> command) {
        Connection ready = ready();
        if (ready != null) {
            ready.send(command);
        } else if (usable) {
            early.add(command);
        } else {
            fail(command, Kind.GONE, "no connection");
            return;
        }
        tick();
    }

    private @Nullable Connection ready() {
        for (int i = 0; i < connections.size(); i++) {
            next = next + 1 < connections.size() ? next + 1 : 0;
            if (connections.get(next).isReady()) {
                return connections.get(next);
            }
        }
        return null;
    }

    /** Looks now and then whether answers are late, as long as some are waited for. */
    private void tick() {
        if (ticking || closed) {
            return;
        }
        ticking = true;
        long timeoutMillis = TimeUnit.NANOSECONDS.toMillis(config.bounds().commandTimeoutNanos());
        vertx.setTimer(Math.clamp(timeoutMillis / 10, 1, TICK_MILLIS_MAX), now -> {
            ticking = false;
            late(System.nanoTime());
            if (!early.isEmpty() || connections.stream().anyMatch(Connection::isWaiting)) {
                tick();
            }
        });
    }

    private void late(long nowNanos) {
        Command<?> first = early.peek();
        while (first != null && first.isDue(nowNanos)) {
            early.poll();
            fail(first, Kind.TIMEOUT, "no connection in time");
            first = early.peek();
        }
        connections.forEach(connection -> connection.late(nowNanos));
    }

    /** Connects to that node. */
    Future<NetSocket> connect(NodeConfig node) {
        ConnectOptions to =
                new ConnectOptions().setRemoteAddress(SocketAddress.inetSocketAddress(node.port(), node.host()));
        if (tls != null) {
            X509ExtendedKeyManager keys = tls.keys();
            ClientSSLOptions options = new ClientSSLOptions()
                    .setTrustOptions(TrustOptions.wrap(tls.trust()))
                    .setHostnameVerificationAlgorithm(tls.config().trust().insecure() ? "" : "HTTPS")
                    .setEnabledSecureTransportProtocols(Set.of(tls.protocols()));
            tls.ciphers().forEach(options::addEnabledCipherSuite);
            if (keys != null) {
                options.setKeyCertOptions(KeyCertOptions.wrap(keys));
            }
            to.setSsl(true).setSslOptions(options).setHost(tls.serverName(node.host()));
        }
        return net.connect(to);
    }

    /** A command got an error. Where Redis doesn't know a script, that is sent whole, and nothing failed. */
    void refuse(Command<?> command, String text) {
        if (text.startsWith("NOSCRIPT")) {
            command.fail(new RedisException(Kind.REFUSED, text));
        } else {
            command.fail(counts.failure(Kind.REFUSED, text));
        }
    }

    /** A connection is ready, and can be trusted. */
    void up(Connection connection) {
        if (gone) {
            gone = false;
            LOG.info(
                    "redis {}: connected again, to {}",
                    config.id(),
                    connection.node().hostAndPort());
        }
        use(connection);
    }

    /** A connection is ready. */
    void use(Connection connection) {
        usable = true;
        Command<?> first = early.poll();
        while (first != null) {
            connection.send(first);
            first = early.poll();
        }
    }

    /** A connection can't be made, or was lost. */
    void down(Connection connection, String why) {
        if (closed || connections.stream().anyMatch(Connection::isHopeful)) {
            return;
        }
        usable = false;
        if (!gone) {
            gone = true;
            LOG.warn(
                    "redis {}: no connection to {}: {}; it is tried again until there is one, and this is said once",
                    config.id(),
                    connection.node().hostAndPort(),
                    why);
        }
        Command<?> first = early.poll();
        while (first != null) {
            fail(first, Kind.GONE, "no connection");
            first = early.poll();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Another one takes its place: what is under way may end. */
    void retire() {
        long millis = TimeUnit.NANOSECONDS.toMillis(config.bounds().commandTimeoutNanos());
        context.runOnContext(now -> vertx.setTimer(millis + TICK_MILLIS_MAX, later -> closeHere()));
    }

    /** Closes the connections; what is under way fails. */
    void close() {
        usable = false;
        context.runOnContext(now -> closeHere());
    }

    private void closeHere() {
        if (closed) {
            return;
        }
        closed = true;
        usable = false;
        for (Command<?> each : early) {
            fail(each, Kind.GONE, "closed");
        }
        early.clear();
        connections.forEach(Connection::close);
        net.close();
        if (tls != null) {
            tls.close();
        }
    }
}
