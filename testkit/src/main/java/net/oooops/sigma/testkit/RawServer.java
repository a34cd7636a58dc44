package net.oooops.sigma.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

/**
 * A server on a loopback port whose connections a test takes one by one and plays by hand: what is accepted is a {@link RawClient},
 * which sends exactly the bytes it is given and shows exactly what comes.
 *
 * <p>For one thread at a time.
 */
public final class RawServer implements AutoCloseable {
    private static final int BACKLOG = 4096;

    private final ServerSocket server;
    private final Duration deadline;
    private final Wrapping wrapping;

    private RawServer(ServerSocket server, Duration deadline, Wrapping wrapping) {
        this.server = server;
        this.deadline = deadline;
        this.wrapping = wrapping;
    }

    /** On a free port of the loopback address. */
    public static RawServer start() {
        return start(0);
    }

    /** The same with another {@code SO_RCVBUF} of its connections, small for a server that takes what it gets slowly; 0 for the system's. */
    public static RawServer start(int receiveBufferBytes) {
        try {
            var server = new ServerSocket();
            if (receiveBufferBytes > 0) {
                server.setReceiveBufferSize(receiveBufferBytes);
            }
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
            return new RawServer(
                    server, Await.DEADLINE, UpstreamOptions.defaults().wrapping());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port that it listens on. */
    public int port() {
        return server.getLocalPort();
    }

    /**
     * Takes the next connection.
     *
     * @throws IOException where none comes within 10 s
     */
    public RawClient accept() throws IOException {
        server.setSoTimeout((int) deadline.toMillis());
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        return RawClient.of(wrapping.wrap(socket), deadline);
    }

    /** Whether a connection comes within that time; it is closed. */
    public boolean acceptsWithin(Duration period) throws IOException {
        server.setSoTimeout((int) Math.max(1, period.toMillis()));
        try {
            server.accept().close();
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        }
    }

    /** Stops listening; connections go on. */
    @Override
    public void close() {
        Quietly.close(server);
    }
}
