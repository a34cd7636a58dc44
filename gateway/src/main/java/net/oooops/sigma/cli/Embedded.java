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
 * @param host that the gateway listens on
 * @param port of the gateway
 * @param upstreamPort of the built-in upstream
 */
record Embedded(String host, int port, int upstreamPort) {
    /** What it is called in messages. */
    static final String NAME = "embedded configuration";

    static final String HOST = "0.0.0.0";
    static final int PORT = 8080;
    static final int UPSTREAM_PORT = 8888;

    /**
     * A system property for those who run it to have it run, as the launcher does for the JDK's AOT cache: with {@code true} it is
     * on any free ports of the loopback address, where nobody else meets it.
     */
    static final String LOOPBACK = "sigma.embedded.loopback";

    private static final String RESOURCE = "embedded.json";

    /** With ports that are free now. */
    static Embedded choose() {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        return Boolean.getBoolean(LOOPBACK)
                ? new Embedded("127.0.0.1", free(loopback, 0), free(loopback, 0))
                : new Embedded(HOST, free(null, PORT), free(loopback, UPSTREAM_PORT));
    }

    /** With the ports that it has where they are free. */
    static Embedded usual() {
        return new Embedded(HOST, PORT, UPSTREAM_PORT);
    }

    /** The configuration, as one would write it. */
    byte[] json() {
        try (InputStream in = Embedded.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(
                        RESOURCE + ": not on the class path (expected: beside " + Embedded.class + ")");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace(HOST, host)
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
