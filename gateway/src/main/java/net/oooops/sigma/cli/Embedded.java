package net.oooops.sigma.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that runs where none is given: the gateway on 8080, a built-in upstream on 8888, other free ports where these
 * are taken.
 *
 * @param port of the gateway
 * @param upstreamPort of the built-in upstream
 */
record Embedded(int port, int upstreamPort) {
    /** What it is called in messages. */
    static final String NAME = "embedded configuration";

    static final int PORT = 8080;
    static final int UPSTREAM_PORT = 8888;

    private static final String RESOURCE = "embedded.json";

    /** With ports that are free now. */
    static Embedded choose() {
        return new Embedded(free(null, PORT), free(InetAddress.getLoopbackAddress(), UPSTREAM_PORT));
    }

    /** With the ports that it has where they are free. */
    static Embedded usual() {
        return new Embedded(PORT, UPSTREAM_PORT);
    }

    /** The configuration, as one would write it. */
    byte[] json() {
        try (InputStream in = Embedded.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(
                        RESOURCE + ": not on the class path (expected: beside " + Embedded.class + ")");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace(String.valueOf(PORT), String.valueOf(port))
                    .replace(String.valueOf(UPSTREAM_PORT), String.valueOf(upstreamPort))
                    .getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(RESOURCE + ": " + e, e);
        }
    }

    /** That port, or any free one. */
    private static int free(@Nullable InetAddress address, int wish) {
        for (int port : new int[] {wish, 0}) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(address, port));
                return socket.getLocalPort();
            } catch (IOException _) {
                // Taken: the next one.
            }
        }
        return wish;
    }
}
