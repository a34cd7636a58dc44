package net.oooops.sigma.tls;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import net.oooops.sigma.testkit.RawClient;
import org.jspecify.annotations.Nullable;

/** Encrypts as the JDK does. */
public final class SecureClient {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final SSLContext context;
    private final AtomicInteger verified = new AtomicInteger();
    private String[] versions = {"TLSv1.3", "TLSv1.2"};
    private String[] protocols = {};

    /** Trusts that authority, and shows a certificate where it is given one. */
    public SecureClient(X509Bundle authority, @Nullable X509Bundle own) {
        try {
            context = SSLContext.getInstance("TLS");
            KeyManager[] keys = own == null ? null : own.toKeyManagerFactory().getKeyManagers();
            context.init(
                    keys,
                    new TrustManager[] {new Counting((X509ExtendedTrustManager) authority.toTrustManager())},
                    null);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How often it was shown a certificate, and has verified it: not where a session is resumed. */
    public int verifiedCount() {
        return verified.get();
    }

    /** Speaks only that version. */
    public SecureClient only(String version) {
        versions = new String[] {version};
        return this;
    }

    /** Offers these protocols from now on (ALPN). */
    public SecureClient speaking(String... offered) {
        protocols = offered;
        return this;
    }

    /** Asks for that host, or for none, and finishes the handshake. */
    public SSLSocket handshake(int port, @Nullable String host) throws IOException {
        return over(new Socket(InetAddress.getLoopbackAddress(), port), host);
    }

    /** The same on a connection that is open. */
    public SSLSocket over(Socket plain, @Nullable String host) throws IOException {
        plain.setTcpNoDelay(true);
        plain.setSoTimeout((int) DEADLINE.toMillis());
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", plain.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(versions);
        parameters.setApplicationProtocols(protocols);
        parameters.setServerNames(host == null ? List.of() : List.of(new Name(host)));
        if (host != null) {
            parameters.setEndpointIdentificationAlgorithm(null);
        }
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /** A name as it is, whatever the JDK thinks of it. */
    private static final class Name extends SNIServerName {
        Name(String host) {
            super(StandardConstants.SNI_HOST_NAME, host.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** What it says first. */
    public byte[] hello(String host) {
        SSLEngine engine = context.createSSLEngine(host, 443);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(versions);
        parameters.setApplicationProtocols(protocols);
        parameters.setServerNames(List.of(new SNIHostName(host)));
        engine.setSSLParameters(parameters);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        try {
            engine.beginHandshake();
            engine.wrap(ByteBuffer.allocate(0), out);
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    /** The same, to ask and to be answered. */
    public RawClient connect(int port, @Nullable String host) throws IOException {
        return RawClient.of(handshake(port, host), DEADLINE);
    }

    /** Asks another one, and counts that. */
    private final class Counting extends X509ExtendedTrustManager {
        private final X509ExtendedTrustManager asked;

        Counting(X509ExtendedTrustManager asked) {
            this.asked = asked;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket)
                throws CertificateException {
            verified.incrementAndGet();
            asked.checkServerTrusted(chain, kind, socket);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
                throws CertificateException {
            verified.incrementAndGet();
            asked.checkServerTrusted(chain, kind, engine);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
            verified.incrementAndGet();
            asked.checkServerTrusted(chain, kind);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {
            throw new UnsupportedOperationException("a client's");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {
            throw new UnsupportedOperationException("a client's");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {
            throw new UnsupportedOperationException("a client's");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return asked.getAcceptedIssuers();
        }
    }
}
