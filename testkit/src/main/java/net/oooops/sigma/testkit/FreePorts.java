package net.oooops.sigma.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback TCP ports that were free a moment ago, for a configuration that must name one. Where a port 0 can be bound and read
 * back, that is better: another process may take a free port before it is used.
 */
public final class FreePorts {
    private static final int FIRST = 12_000;
    private static final int EPHEMERAL_FIRST = 32_768;
    private static final int ATTEMPTS_MAX = 1_000;

    private FreePorts() {}

    /** A port that was free. */
    public static int one() {
        return several(1)[0];
    }

    /**
     * Ports that were free, no two alike.
     *
     * @throws UncheckedIOException when so many can not be bound
     */
    public static int[] several(int count) {
        List<ServerSocket> held = new ArrayList<>(count);
        try {
            int[] ports = new int[count];
            for (int i = 0; i < count; i++) {
                ServerSocket socket = bindBelowEphemeral();
                held.add(socket);
                ports[i] = socket.getLocalPort();
            }
            return ports;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            held.forEach(Quietly::close);
        }
    }

    /** The system gives ports from 32768 on to whoever connects: one of those could be taken before its user binds it. */
    private static ServerSocket bindBelowEphemeral() throws IOException {
        IOException last = new IOException("no free port");
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, EPHEMERAL_FIRST);
            try {
                return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }
}
