package net.oooops.sigma.control;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import net.oooops.sigma.config.ListenerConfig;

/**
 * A request of a gateway's own to one of its Listeners, which no node gets: {@code OPTIONS *} with {@code Max-Forwards: 0} (RFC 9110 section 7.6.2), or the beginning of
 * a connection of HTTP/2. What answers lives: what it answers doesn't matter.
 *
 * <p>Blocks.
 */
final class OwnRequest {
    /** On a machine where many fight for a core, a process that has just begun takes seconds for its first answer. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final byte[] REQUEST =
            ascii("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nMax-Forwards: 0\r\nConnection: close\r\n\r\n");
    /** The preface, and a frame of settings that says nothing (RFC 9113 section 3.4). */
    private static final byte[] PREFACE = ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0");

    private static final int ANSWER_BYTES = 9;
    private static final String ALERT = "Received fatal alert";

    private final ListenerConfig listener;
    private final int limitMillis;

    OwnRequest(ListenerConfig listener) {
        this(listener, LIMIT);
    }

    /**
     * One that waits for less.
     *
     * @param limit for the connection, and for each part of the answer
     */
    OwnRequest(ListenerConfig listener, Duration limit) {
        this.listener = listener;
        this.limitMillis = (int) limit.toMillis();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Sends it there.
     *
     * @throws IOException where no answer comes in time
     */
    void send(InetSocketAddress to) throws IOException {
        boolean http2 = listener.http2() == ListenerConfig.Http2.ONLY;
        try (Socket plain = new Socket()) {
            plain.connect(to, limitMillis);
            plain.setSoTimeout(limitMillis);
            try (Socket socket = listener.tls() == null ? plain : encrypted(plain, http2)) {
                socket.getOutputStream().write(http2 ? PREFACE : REQUEST);
                byte[] answer = socket.getInputStream().readNBytes(ANSWER_BYTES);
                if (answer.length < ANSWER_BYTES) {
                    throw new IOException("closed without an answer");
                }
            }
        } catch (SSLException e) {
            // It wants to see a certificate, or another version: an answer, too.
            if (!String.valueOf(e.getMessage()).contains(ALERT)) {
                throw e;
            }
        }
    }

    private static SSLSocket encrypted(Socket plain, boolean http2) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            // It asks itself: there is nobody to distrust.
            context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {http2 ? "h2" : "http/1.1"});
            socket.setSSLParameters(parameters);
            return socket;
        } catch (GeneralSecurityException e) {
            throw new IOException("no TLS: " + e.getMessage(), e);
        }
    }
}
