package net.oooops.sigma.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import net.oooops.sigma.certificate.KeyedCertificate;
import org.jspecify.annotations.Nullable;

/**
 * The one key and certificate that there are, whatever kind is asked for and whoever is to have issued it: of the kinds that Netty asks for on behalf of BoringSSL, none is
 * Ed25519's, though BoringSSL can sign with it. Immutable, any thread.
 */
final class OneKey extends X509ExtendedKeyManager {
    private static final String ALIAS = "one";

    private final Supplier<KeyedCertificate> one;

    /** @param one asked for each handshake */
    OneKey(Supplier<KeyedCertificate> one) {
        this.one = one;
    }

    @Override
    public String[] getClientAliases(String kind, Principal @Nullable [] issuers) {
        return new String[] {ALIAS};
    }

    @Override
    public String chooseClientAlias(String[] kinds, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return ALIAS;
    }

    @Override
    public String chooseEngineClientAlias(String[] kinds, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return ALIAS;
    }

    @Override
    public String[] getServerAliases(String kind, Principal @Nullable [] issuers) {
        return new String[] {ALIAS};
    }

    @Override
    public String chooseServerAlias(String kind, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return ALIAS;
    }

    @Override
    public String chooseEngineServerAlias(String kind, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return ALIAS;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return one.get().chain().toArray(new X509Certificate[0]);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return one.get().key();
    }
}
