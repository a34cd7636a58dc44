package net.oooops.sigma.http2;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import net.oooops.sigma.testkit.Gate;

/** One port of the loopback address that leads to another one, and later to yet another: connections stay where they are. */
final class SwitchedRelay implements AutoCloseable {
    private final ServerSocket listening;
    private volatile int to;
    private volatile Gate held = open();

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

    /** Connections that come from now on lead nowhere before that is released. */
    void hold(Gate gate) {
        held = gate;
    }

    private static Gate open() {
        Gate gate = new Gate();
        gate.release();
        return gate;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Gate gate = held;
                Thread.ofVirtual().start(() -> lead(client, gate));
            }
        } catch (IOException closed) {
            // It is over.
        }
    }

    private void lead(Socket client, Gate gate) {
        try {
            gate.pass();
            Socket node = new Socket(InetAddress.getLoopbackAddress(), to);
            Thread.ofVirtual().start(() -> pass(client, node));
            pass(node, client);
        } catch (IOException | InterruptedException over) {
            // As where it leads to.
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
