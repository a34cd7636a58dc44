package net.oooops.sigma.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** A loopback port that is kept in a state in which no connection comes about, until it is closed. */
public final class PortHold implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MILLIS = 200;
    private static final int FILLERS_MAX = 16;

    private final int port;
    private final List<Closeable> held;

    private PortHold(int port, List<Closeable> held) {
        this.port = port;
        this.held = held;
    }

    /** A port that is bound, so that nobody else takes it, and not listened on: connections are refused. */
    static PortHold refusing() {
        var socket = new Socket();
        try {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new PortHold(socket.getLocalPort(), List.of(socket));
    }

    /** A port whose queue of unaccepted connections is full: the system leaves further SYNs unanswered. */
    static PortHold hanging() {
        List<Closeable> held = new ArrayList<>();
        try {
            var server = new ServerSocket();
            held.add(server);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
            for (int i = 0; i < FILLERS_MAX; i++) {
                var filler = new Socket();
                held.add(filler);
                if (!connects(filler, server)) {
                    return new PortHold(server.getLocalPort(), held);
                }
            }
            throw new IllegalStateException(FILLERS_MAX + " connections with a backlog of 1 (expected: fewer)");
        } catch (IOException e) {
            held.forEach(Quietly::close);
            throw new UncheckedIOException(e);
        }
    }

    private static boolean connects(Socket filler, ServerSocket server) throws IOException {
        try {
            filler.connect(server.getLocalSocketAddress(), CONNECT_TIMEOUT_MILLIS);
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    /** The port. */
    public int port() {
        return port;
    }

    /** Gives the port back. */
    @Override
    public void close() {
        held.forEach(Quietly::close);
    }
}
