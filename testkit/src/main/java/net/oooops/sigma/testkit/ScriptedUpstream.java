package net.oooops.sigma.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A server on a loopback port that does what a script says and records what it receives. Each connection has a virtual thread of its
 * own, so thousands of them are fine.
 *
 * <p>What it receives is parsed strictly. A request that a gateway must not send (framing given twice, bare LF, chunk extensions, and the
 * like) closes its connection and is listed in {@link #failures()}; {@link #close()} fails with that list. A connection that ends early is
 * no failure, and can be seen at the request and at the connection.
 *
 * <p>All methods may be called on any thread.
 */
public final class ScriptedUpstream implements AutoCloseable {
    private static final int BACKLOG = 4096;

    private final Thread acceptor;
    private final ServerSocket server;
    private final UpstreamOptions options;
    private final Recording recording;
    private volatile boolean closing;

    private ScriptedUpstream(UpstreamOptions options, IntFunction<Step> scripts) {
        this.options = options;
        this.recording = new Recording(options.requestsKept());
        try {
            server = new ServerSocket();
            if (options.receiveBufferBytes() > 0) {
                server.setReceiveBufferSize(options.receiveBufferBytes());
            }
            server.bind(new InetSocketAddress(options.host(), options.port()), BACKLOG);
        } catch (IOException e) {
            throw new UncheckedIOException("upstream at " + options.host() + ":" + options.port(), e);
        }
        acceptor = Thread.ofVirtual()
                .name("upstream-accept-" + server.getLocalPort())
                .start(() -> accept(scripts));
    }

    /** On a free port; the handler is called after each whole request. */
    public static ScriptedUpstream start(Handler handler) {
        return start(UpstreamOptions.defaults(), handler);
    }

    /** The handler is called after each whole request. */
    public static ScriptedUpstream start(UpstreamOptions options, Handler handler) {
        Step serving = Script.serving(handler);
        return new ScriptedUpstream(options, number -> serving);
    }

    /** On a free port; the handler is called after each head, with the body unread. */
    public static ScriptedUpstream startOnHead(Handler handler) {
        return startOnHead(UpstreamOptions.defaults(), handler);
    }

    /** The handler is called after each head; what its answer leaves of the body is read afterwards. */
    public static ScriptedUpstream startOnHead(UpstreamOptions options, Handler handler) {
        Step serving = Script.servingOnHead(handler);
        return new ScriptedUpstream(options, number -> serving);
    }

    /** On a free port; otherwise as {@link #play(UpstreamOptions, Script...)}. */
    public static ScriptedUpstream play(Script... byConnection) {
        return play(UpstreamOptions.defaults(), byConnection);
    }

    /**
     * Each connection plays the script of its number; the last script is for all further ones too.
     *
     * @throws IllegalArgumentException when there is no script
     */
    public static ScriptedUpstream play(UpstreamOptions options, Script... byConnection) {
        if (byConnection.length == 0) {
            throw new IllegalArgumentException("byConnection: 0 scripts (expected: >= 1)");
        }
        List<Script> scripts = List.of(byConnection);
        return new ScriptedUpstream(options, number -> scripts.get(Math.min(number, scripts.size() - 1)));
    }

    /** Accepts, reads requests, never answers. */
    public static ScriptedUpstream blackhole() {
        return play(Script.script().readRequest().repeat());
    }

    /** A port at which connections are refused until it is closed. */
    public static PortHold refusedPort() {
        return PortHold.refusing();
    }

    /** A port at which connections neither come about nor fail until it is closed, so that connecting times out. */
    public static PortHold fullBacklogPort() {
        return PortHold.hanging();
    }

    private void accept(IntFunction<Step> scripts) {
        while (!server.isClosed()) {
            try {
                accepted(server.accept(), scripts);
            } catch (SocketException e) {
                if (!server.isClosed()) {
                    recording.failed("accept failed: " + e);
                }
            } catch (IOException e) {
                recording.failed("accept failed: " + e);
            }
        }
    }

    private void accepted(Socket socket, IntFunction<Step> scripts) {
        try {
            socket.setTcpNoDelay(true);
            if (options.sendBufferBytes() > 0) {
                socket.setSendBufferSize(options.sendBufferBytes());
            }
            UpstreamConnection connection =
                    recording.add(number -> new UpstreamConnection(number, socket, options.wrapping(), recording));
            connection.play(scripts.apply(connection.number()));
            if (closing) {
                connection.close();
            }
        } catch (IOException e) {
            // The peer was gone before it was accepted: as if it had never come.
            Quietly.close(socket);
        }
    }

    /** The port that it listens on. */
    public int port() {
        return server.getLocalPort();
    }

    /** The address that it is bound to. */
    public String host() {
        return options.host();
    }

    /** {@code http://host:port}, without a slash at its end. */
    public String url() {
        return "http://" + host() + ":" + port();
    }

    /** The requests whose heads have come, in order, as many of them as are kept. */
    public List<ReceivedRequest> requests() {
        return recording.requests();
    }

    /** The request of that number, from 0; waits until its head has come. */
    public ReceivedRequest request(int order) {
        return awaitHeads(order + 1).get(order);
    }

    /** How many requests' heads have come. */
    public int requestCount() {
        return recording.heads();
    }

    /** The connections in the order in which they were accepted. */
    public List<UpstreamConnection> connections() {
        return recording.connections();
    }

    /** The connection of that number, from 0; waits until it has been accepted. */
    public UpstreamConnection connection(int number) {
        return awaitConnections(number + 1).get(number);
    }

    /** How many connections have been accepted. */
    public int connectionCount() {
        return recording.connectionCount();
    }

    /** How many connections are open, as far as their scripts have seen. */
    public int openConnectionCount() {
        return recording.open();
    }

    /** Waits until so many requests' heads have come. */
    public List<ReceivedRequest> awaitHeads(int count) {
        Await.value("heads of requests (expected: >= " + count + ")", recording::heads, seen -> seen >= count);
        return requests();
    }

    /** Waits until so many requests have come to their end, with body and trailers. */
    public List<ReceivedRequest> awaitRequests(int count) {
        Await.value("whole requests (expected: >= " + count + ")", recording::whole, seen -> seen >= count);
        return requests();
    }

    /** Waits until so many connections have been accepted. */
    public List<UpstreamConnection> awaitConnections(int count) {
        Await.value("connections (expected: >= " + count + ")", this::connectionCount, seen -> seen >= count);
        return connections();
    }

    /** Waits until the connection of that number has been accepted and has ended. The peer's FIN is seen where the script reads. */
    public ConnectionEnd awaitClosed(int connection) {
        UpstreamConnection awaited = connection(connection);
        return Await.value("end of connection " + connection, awaited::end, end -> end != ConnectionEnd.OPEN);
    }

    /** Waits until no connection is open. */
    public void awaitAllClosed() {
        Await.value("open connections (expected: 0)", this::openConnectionCount, open -> open == 0);
    }

    /** Stops listening; connections go on. */
    public void stopAccepting() {
        Quietly.close(server);
        try {
            // Only when its last accept has returned is the port free for another.
            acceptor.join(Await.DEADLINE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes all connections with a FIN. */
    public void closeConnections() {
        connections().forEach(UpstreamConnection::close);
    }

    /** Closes all connections with a RST. */
    public void resetConnections() {
        connections().forEach(UpstreamConnection::reset);
    }

    /** What a gateway should not have sent, and scripts that failed by themselves. */
    public List<String> failures() {
        return recording.failures();
    }

    /**
     * Stops listening and ends all connections and their scripts.
     *
     * @throws AssertionError when there are {@link #failures()}
     */
    @Override
    public void close() {
        closing = true;
        stopAccepting();
        Deadline deadline = Deadline.in(Await.DEADLINE);
        try {
            for (UpstreamConnection connection : connections()) {
                connection.stop(deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<String> failures = failures();
        if (!failures.isEmpty()) {
            throw new AssertionError("upstream at port " + port() + ", failures (expected: none): " + failures);
        }
    }
}
