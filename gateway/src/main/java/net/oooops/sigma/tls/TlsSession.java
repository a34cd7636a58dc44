package net.oooops.sigma.tls;

import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import net.oooops.sigma.api.Tls;
import org.jspecify.annotations.Nullable;

/** What was agreed on in a handshake. Immutable. */
public final class TlsSession {
    /** The name of HTTP/2 among protocols (RFC 9113 section 3.2). */
    public static final String HTTP2 = "h2";
    /** That of HTTP/1.1 (RFC 7301 section 6). */
    public static final String HTTP11 = "http/1.1";

    private final Tls agreed;
    private final byte[] hostBytes;
    private final HostSet hosts;

    private TlsSession(
            SSLSession session,
            @Nullable String protocol,
            @Nullable String host,
            HostSet hosts,
            List<X509Certificate> clientChain) {
        this.agreed = new Tls(session.getProtocol(), protocol, host, clientChain);
        this.hostBytes = host == null ? new byte[0] : host.getBytes(StandardCharsets.ISO_8859_1);
        this.hosts = hosts;
    }

    /** @param host that the client asked for, in lower case; null where it asked for none */
    static TlsSession of(SslHandler encrypted, ShownCertificate shown, @Nullable String host, boolean clientsAsked) {
        SSLSession session = encrypted.engine().getSession();
        return new TlsSession(
                session,
                encrypted.applicationProtocol(),
                host,
                shown.hosts(),
                clientsAsked ? clientChainOf(session) : List.of());
    }

    /** The version of TLS, as {@code TLSv1.3}. */
    public String version() {
        return agreed.version();
    }

    /** What is spoken in it (ALPN, RFC 7301); null where nothing was agreed on. */
    public @Nullable String protocol() {
        return agreed.protocol();
    }

    /** The host that the client asked for (SNI), in lower case; null where it asked for none. */
    public @Nullable String host() {
        return agreed.host();
    }

    /** What the client has shown, verified, its own certificate first; empty where it has shown none. */
    public List<X509Certificate> clientChain() {
        return agreed.clientChain();
    }

    /** All of it as plugins see it. */
    public Tls forPlugins() {
        return agreed;
    }

    /**
     * Whether a request for the host {@code bytes[start, end)} has come to the wrong place (RFC 9110 section 15.5.20): it isn't the one
     * that the client asked for in the handshake, nor one of those that the certificate is for. A client that asked for none may ask for
     * any, and one of HTTP/1.0 for none. Allocates only where the host is another one.
     */
    public boolean isMisdirected(byte[] bytes, int start, int end) {
        if (agreed.host() == null || start == end || isHost(bytes, start, end)) {
            return false;
        }
        return !hosts.has(new String(bytes, start, end - start, StandardCharsets.ISO_8859_1));
    }

    private boolean isHost(byte[] bytes, int start, int end) {
        if (end - start != hostBytes.length) {
            return false;
        }
        for (int i = 0; i < hostBytes.length; i++) {
            int b = bytes[start + i];
            if (hostBytes[i] != (b >= 'A' && b <= 'Z' ? b | 0x20 : b)) {
                return false;
            }
        }
        return true;
    }

    /** What the client has sent, as far as each has issued the one before: only that was verified. */
    private static List<X509Certificate> clientChainOf(SSLSession session) {
        try {
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate each : session.getPeerCertificates()) {
                X509Certificate next = (X509Certificate) each;
                if (!chain.isEmpty() && !hasIssued(next, chain.getLast())) {
                    return chain;
                }
                chain.add(next);
            }
            return chain;
        } catch (SSLPeerUnverifiedException e) {
            return List.of();
        }
    }

    private static boolean hasIssued(X509Certificate issuer, X509Certificate issued) {
        try {
            issued.verify(issuer.getPublicKey());
            return issued.getIssuerX500Principal().equals(issuer.getSubjectX500Principal());
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
