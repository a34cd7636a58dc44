package net.oooops.sigma.health;

import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.util.Set;
import javax.net.ssl.X509ExtendedKeyManager;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.tls.NodeTls;
import org.jspecify.annotations.Nullable;

/**
 * How a node is asked over TLS.
 *
 * @param name of the host that it is asked for, and that its certificate has to be for
 * @param options trust, keys and versions
 */
record Secure(String name, ClientSSLOptions options) {
    /**
     * As what passes to a node of that host.
     *
     * @return null where that isn't encrypted
     */
    static @Nullable Secure of(@Nullable NodeTls tls, String host) {
        if (tls == null) {
            return null;
        }
        NodeTlsConfig config = tls.config();
        X509ExtendedKeyManager keys = tls.keys();
        ClientSSLOptions options = new ClientSSLOptions()
                .setTrustOptions(TrustOptions.wrap(tls.trust()))
                .setHostnameVerificationAlgorithm(config.trust().insecure() ? "" : "HTTPS")
                .setEnabledSecureTransportProtocols(Set.of(tls.protocols()));
        tls.ciphers().forEach(options::addEnabledCipherSuite);
        if (!config.alpn().isEmpty()) {
            options.setUseAlpn(true).setApplicationLayerProtocols(config.alpn());
        }
        if (keys != null) {
            options.setKeyCertOptions(KeyCertOptions.wrap(keys));
        }
        return new Secure(tls.serverName(host), options);
    }
}
