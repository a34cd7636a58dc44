package net.oooops.sigma.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import net.oooops.sigma.config.AdminConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers those who run Sigma over HTTP: {@code /metrics}, {@code /health/live}, {@code /health/ready}, {@code /nodes}. Only GET and
 * HEAD; nothing can be changed, and nobody is asked who they are.
 *
 * <p>Whoever reaches it can't harm what Sigma is for: it has an event loop that isn't a Worker's, {@value #CONNECTIONS_MAX} connections,
 * one request on each, {@value #REQUEST_SECONDS_MAX} seconds to send it, {@value #CONNECTION_SECONDS_MAX} seconds for all of that,
 * answers of bounded size, and no more than {@value #PAGES_MAX} large ones under way. Connections that only lie idle don't keep others
 * out: where there are as many as may be, the oldest that hasn't asked makes room.
 *
 * <p>{@link #start}, {@link #port} and {@link #close}: any thread.
 */
public final class AdminServer {
    /** Connections at once; for one more, the oldest without a request is cut. Where all have asked, the new one is closed. */
    static final int CONNECTIONS_MAX = 16;

    /** How long a connection may take to ask. */
    static final int REQUEST_SECONDS_MAX = 3;

    /** How long a connection may last: to ask, be answered, and take the answer. */
    static final int CONNECTION_SECONDS_MAX = 10;

    /** How many of {@code /metrics} and {@code /nodes} may be on their way to who asked: each may take megabytes until it is taken. */
    static final int PAGES_MAX = 4;

    private static final int REQUEST_LINE_BYTES_MAX = 2048;
    private static final int HEADER_BYTES_MAX = 8192;
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

    private final Vertx vertx;
    private final Context context;
    private final HostGuard hosts;
    private final Pulse pulse;
    private final HealthPages health;
    private final MetricsPage metrics;
    private final NodesPage nodes;
    private final HttpServer server;

    // Of its event loop

    /** By connection, the oldest first. */
    private final Map<HttpConnection, Visit> visits = new LinkedHashMap<>();

    private long connectionsRefused;
    private long connectionsCut;
    private long hostsRefused;
    private volatile long looks = -1;
    private int pagesUnderWay;
    private long pagesRefused;

    private AdminServer(Vertx vertx, AdminConfig config, InetSocketAddress address, Sources sources) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.hosts = new HostGuard(config.host(), address.getAddress().isLoopbackAddress());
        this.pulse = new Pulse(sources.ticks(), System.nanoTime());
        this.health = new HealthPages(sources, pulse, config.readyUpstreams());
        this.metrics = new MetricsPage(sources, pulse, Listing.NODES_MAX, Listing.UPSTREAMS_MAX);
        this.nodes = new NodesPage(sources, Listing.NODES_MAX, Listing.UPSTREAMS_MAX);
        this.server = vertx.createHttpServer(new HttpServerOptions()
                        .setHost(address.getAddress().getHostAddress())
                        .setPort(address.getPort())
                        .setMaxInitialLineLength(REQUEST_LINE_BYTES_MAX)
                        .setMaxHeaderSize(HEADER_BYTES_MAX)
                        .setHttp2ClearTextEnabled(false)
                        .setCompressionSupported(false))
                .connectionHandler(this::opened)
                .exceptionHandler(cause -> LOG.debug("a connection to the admin server closed", cause))
                .requestHandler(this::asked);
    }

    /**
     * Begins to listen.
     *
     * @param vertx whose event loops aren't the Workers'
     * @param address where, resolved
     * @return the server when it listens
     */
    public static Future<AdminServer> start(
            Vertx vertx, AdminConfig config, InetSocketAddress address, Sources sources) {
        AdminServer admin = new AdminServer(vertx, config, address, sources);
        return Future.<HttpServer>future(listening -> admin.context.runOnContext(now ->
                        admin.server.listen().onSuccess(open -> admin.watch()).onComplete(listening)))
                .map(admin);
    }

    /** The port it listens on. */
    public int port() {
        return server.actualPort();
    }

    /** Goes by what that says from now on: it is for the same address. */
    public void follow(AdminConfig config) {
        health.follow(config.readyUpstreams());
    }

    /** Closes its socket and all connections. */
    public Future<Void> close() {
        return end(0);
    }

    /** Closes its socket, and each connection when it was answered, as long as that may take. */
    public Future<Void> end() {
        return end(CONNECTION_SECONDS_MAX);
    }

    private Future<Void> end(int seconds) {
        return server.shutdown(seconds, TimeUnit.SECONDS).onComplete(ended -> vertx.cancelTimer(looks));
    }

    private void watch() {
        looks = vertx.setPeriodic(
                TimeUnit.NANOSECONDS.toMillis(Pulse.LOOK_NANOS), each -> pulse.look(System.nanoTime()));
    }

    private void opened(HttpConnection connection) {
        if (visits.size() >= CONNECTIONS_MAX) {
            connectionsRefused++;
            if (!makeRoom()) {
                new Visit(connection).cut();
                return;
            }
        }
        Visit visit = new Visit(connection);
        visits.put(connection, visit);
        connection.closeHandler(closed -> {
            visits.remove(connection);
            vertx.cancelTimer(visit.timer());
            leavePage(visit);
        });
        visit.timer(vertx.setTimer(TimeUnit.SECONDS.toMillis(REQUEST_SECONDS_MAX), late -> stillThere(visit)));
    }

    /** Ends the oldest connection that hasn't asked; whether there is one. */
    private boolean makeRoom() {
        for (Map.Entry<HttpConnection, Visit> each : visits.entrySet()) {
            if (!each.getValue().hasAsked()) {
                visits.remove(each.getKey());
                each.getValue().cut();
                return true;
            }
        }
        return false;
    }

    private void stillThere(Visit visit) {
        if (!visit.hasAsked()) {
            cut(visit);
            return;
        }
        long left = TimeUnit.SECONDS.toMillis(CONNECTION_SECONDS_MAX - REQUEST_SECONDS_MAX);
        visit.timer(vertx.setTimer(left, late -> cut(visit)));
    }

    private void cut(Visit visit) {
        connectionsCut++;
        visit.cut();
    }

    private void leavePage(Visit visit) {
        if (visit.leavePage()) {
            pagesUnderWay--;
        }
    }

    private void asked(HttpServerRequest request) {
        Visit visit = visits.get(request.connection());
        if (visit == null || !visit.ask()) {
            // What follows the one request isn't answered.
            return;
        }
        AskedHost host = AskedHost.of(request);
        String name = host.name();
        if (!host.isFit()) {
            answer(request, 400, TEXT, bytes("no Host, several, or a malformed one\n"));
        } else if (name != null && !hosts.allows(name)) {
            hostsRefused++;
            answer(request, 421, TEXT, bytes("another Host (expected: an IP address or localhost)\n"));
        } else if (!HttpMethod.GET.equals(request.method()) && !HttpMethod.HEAD.equals(request.method())) {
            request.response().putHeader("Allow", "GET, HEAD");
            answer(request, 405, TEXT, bytes("another method (expected: GET or HEAD)\n"));
        } else {
            page(request, visit);
        }
    }

    private void page(HttpServerRequest request, Visit visit) {
        switch (request.path()) {
            case "/metrics" -> large(request, visit, Sheet.CONTENT_TYPE, this::metrics);
            case "/health/live" -> health(request, health.notLive());
            case "/health/ready" -> health(request, health.notReady());
            case "/nodes" -> large(request, visit, JSON, nodes::json);
            case null, default ->
                answer(
                        request,
                        404,
                        TEXT,
                        bytes("no such page (expected: /metrics, /health/live, /health/ready or /nodes)\n"));
        }
    }

    private byte[] metrics() {
        return metrics.text(new Refused(connectionsRefused, connectionsCut, hostsRefused, pagesRefused));
    }

    private void large(HttpServerRequest request, Visit visit, String type, Supplier<byte[]> page) {
        if (pagesUnderWay >= PAGES_MAX) {
            pagesRefused++;
            request.response().putHeader("Retry-After", "1");
            answer(request, 503, TEXT, bytes("too many ask at once\n"));
            return;
        }
        byte[] body = page.get();
        pagesUnderWay++;
        visit.takePage();
        answer(request, 200, type, body).onComplete(sent -> leavePage(visit));
    }

    private static void health(HttpServerRequest request, List<String> why) {
        String text = why.isEmpty() ? "ok\n" : String.join("\n", why) + "\n";
        answer(request, why.isEmpty() ? 200 : 503, TEXT, bytes(text));
    }

    /** Answers, and closes the connection: what else comes on it isn't read. */
    private static Future<Void> answer(HttpServerRequest request, int status, String type, byte[] body) {
        HttpServerResponse response = request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", type)
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Connection", "close");
        HttpConnection connection = request.connection();
        Future<Void> sent;
        if (HttpMethod.HEAD.equals(request.method())) {
            sent = response.putHeader("Content-Length", String.valueOf(body.length))
                    .end();
        } else {
            sent = response.end(Buffer.buffer(body));
        }
        return sent.onComplete(done -> connection.close());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
