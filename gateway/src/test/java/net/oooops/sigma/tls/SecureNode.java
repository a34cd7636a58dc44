package net.oooops.sigma.tls;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import net.oooops.sigma.testkit.UpstreamOptions;
import net.oooops.sigma.testkit.Wrapping;
import org.jspecify.annotations.Nullable;

/** Encrypts what a node accepts, as the JDK does, and shows what was agreed on. */
public final class SecureNode implements Wrapping {
    private final SSLContext context;
    private final boolean asks;
    private final List<SSLSession> sessions = new CopyOnWriteArrayList<>();
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();
    private String[] versions = {"TLSv1.3", "TLSv1.2"};
    private String[] protocols = {};
    private String agreed = "";

    /** Shows a certificate, and asks for one of those that an authority has issued, where it is given one. */
    public SecureNode(X509Bundle shown, @Nullable X509Bundle clients) {
        asks = clients != null;
        try {
            context = SSLContext.getInstance("TLS");
            TrustManager[] trust = clients == null ? null : new TrustManager[] {clients.toTrustManager()};
            context.init(shown.toKeyManagerFactory().getKeyManagers(), trust, null);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Speaks only that version. */
    SecureNode only(String version) {
        versions = new String[] {version};
        return this;
    }

    /** Takes these protocols (ALPN). */
    public SecureNode speaking(String... taken) {
        protocols = taken;
        return this;
    }

    /** What was agreed on in the last handshake; an empty text where nothing was. */
    public String protocol() {
        return agreed;
    }

    /** A node that does so. */
    UpstreamOptions options() {
        return UpstreamOptions.defaults().withWrapping(this);
    }

    @Override
    public Socket wrap(Socket connected) throws IOException {
        accepted.add(connected);
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(connected, null, connected.getPort(), true);
        socket.setUseClientMode(false);
        socket.setNeedClientAuth(asks);
        socket.setEnabledProtocols(versions);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        agreed = socket.getApplicationProtocol();
        sessions.add(socket.getSession());
        return socket;
    }

    /** What was agreed on, in the order of the handshakes. */
    List<SSLSession> sessions() {
        return sessions;
    }

    /** The connections below, in the order in which they came. */
    public List<Socket> accepted() {
        return accepted;
    }

    /** The host that the handshake of that number has asked for, or an empty text. */
    public String host(int number) {
        return ((ExtendedSSLSession) sessions.get(number))
                .getRequestedServerNames().stream()
                        .map(name -> ((SNIHostName) name).getAsciiName())
                        .findFirst()
                        .orElse("");
    }
}
