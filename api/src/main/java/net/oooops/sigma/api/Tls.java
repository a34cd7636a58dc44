package net.oooops.sigma.api;

import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was agreed on with the client of an encrypted connection, one for all its exchanges.
 *
 * <p>Immutable, any thread.
 */
public final class Tls {
    private final String version;
    private final @Nullable String protocol;
    private final @Nullable String host;
    private final List<X509Certificate> clientChain;
    private final @Nullable ClientCertificate clientCertificate;

    /** With what the methods of these names give. */
    public Tls(String version, @Nullable String protocol, @Nullable String host, List<X509Certificate> clientChain) {
        this.version = version;
        this.protocol = protocol;
        this.host = host;
        this.clientChain = List.copyOf(clientChain);
        this.clientCertificate = clientChain.isEmpty() ? null : new ClientCertificate(clientChain.getFirst());
    }

    /** The version, as {@code TLSv1.3}. */
    public String version() {
        return version;
    }

    /** What is spoken in it (ALPN, RFC 7301), such as {@code h2}; null where nothing was agreed on. */
    public @Nullable String protocol() {
        return protocol;
    }

    /** The host that the client asked for (SNI, RFC 6066 section 3), in lower case; null where it asked for none. */
    public @Nullable String host() {
        return host;
    }

    /** The certificates that the client has shown and Sigma has verified, its own first; empty where it has shown none. */
    public List<X509Certificate> clientChain() {
        return clientChain;
    }

    /** The client's own; null where it has shown none. */
    public @Nullable ClientCertificate clientCertificate() {
        return clientCertificate;
    }
}
