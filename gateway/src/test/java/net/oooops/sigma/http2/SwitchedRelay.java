package net.oooops.sigma.http2;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** One port of the loopback address that leads to another one, and later to yet another: connections stay where they are. */
final class SwitchedRelay implements AutoCloseable {
    private final ServerSocket listening;
    private volatile int to;

    SwitchedRelay(int port) {
        to = port;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Where connections lead from now on. */
    void leadTo(int port) {
        to = port;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket node = new Socket(InetAddress.getLoopbackAddress(), to);
                Thread.ofVirtual().start(() -> pass(client, node));
                Thread.ofVirtual().start(() -> pass(node, client));
            }
        } catch (IOException closed) {
            // It is over.
        }
    }

    private static void pass(Socket from, Socket into) {
        try (from;
                into) {
            from.getInputStream().transferTo(into.getOutputStream());
        } catch (IOException closed) {
            // One of the two is gone, and so is the other.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
