package net.oooops.sigma.api;

import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was agreed on with the client of an encrypted connection.
 *
 * @param version as {@code TLSv1.3}
 * @param protocol what is spoken in it (ALPN, RFC 7301), such as {@code h2}; null where nothing was agreed on
 * @param host that the client asked for (SNI, RFC 6066 section 3), in lower case; null where it asked for none
 * @param clientChain the certificates that the client has shown and Sigma has verified, its own first; empty where it has shown none
 */
public record Tls(
        String version, @Nullable String protocol, @Nullable String host, List<X509Certificate> clientChain) {
    public Tls {
        clientChain = List.copyOf(clientChain);
    }
}
