package net.oooops.sigma.http2;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.testkit.RawClient;

/**
 * A server over TLS whose connections a test takes one by one and plays by hand, each in the version of HTTP that its handshake has agreed
 * on. A handshake that offers nothing that it speaks is refused.
 *
 * <p>For one thread at a time.
 */
final class AgreeingServer implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final ServerSocket listening;
    private final String[] protocols;

    AgreeingServer(String... protocols) {
        this.protocols = protocols.clone();
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            listening.setSoTimeout((int) DEADLINE.toMillis());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return listening.getLocalPort();
    }

    /** The next connection, in HTTP/2, with these settings: each key with its value behind it. */
    Http2Client acceptHttp2(int... settings) throws IOException {
        return Http2Client.unsettledNode(accept("h2")).settings(settings);
    }

    /** The next connection, in HTTP/1.1. */
    RawClient acceptHttp11() throws IOException {
        return RawClient.of(accept("http/1.1"), DEADLINE);
    }

    private SSLSocket accept(String expected) throws IOException {
        SSLSocket socket = Encryption.SHARED.agree(listening.accept(), protocols);
        if (!socket.getApplicationProtocol().equals(expected)) {
            throw new AssertionError(socket.getApplicationProtocol() + " (expected: " + expected + ")");
        }
        return socket;
    }

    /** Refuses the handshake of the next connection, which offers nothing that it speaks. */
    void refuse() throws IOException {
        try (SSLSocket socket = Encryption.SHARED.agree(listening.accept(), protocols)) {
            throw new AssertionError(socket.getApplicationProtocol() + " (expected: nothing in common)");
        } catch (SSLException e) {
            if (!String.valueOf(e.getMessage()).contains("protocol")) {
                throw e;
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
