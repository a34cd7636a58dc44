package net.oooops.sigma.tls;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import net.oooops.sigma.config.NodeTlsConfig.Trust;
import org.jspecify.annotations.Nullable;

/**
 * Which certificates of nodes are trusted: those that an authority has issued for the node's host (RFC 9525), and of these only such with a
 * key that is pinned, where some are. Any thread.
 */
public final class NodeTrust extends X509ExtendedTrustManager {
    /** Null where nothing is verified. */
    private volatile @Nullable X509ExtendedTrustManager authorities;

    private final List<String> pins;

    private NodeTrust(@Nullable X509ExtendedTrustManager authorities, List<String> pins) {
        this.authorities = authorities;
        this.pins = pins;
    }

    /**
     * What is trusted.
     *
     * @throws GeneralSecurityException where the JDK has no authorities, or none that can be read
     */
    static NodeTrust of(Trust trust) throws GeneralSecurityException {
        return new NodeTrust(trust.insecure() ? null : issuers(trust.authorities()), trust.pins());
    }

    /** Others may have issued certificates from now on. */
    void renew(List<X509Certificate> now) throws GeneralSecurityException {
        authorities = issuers(now);
    }

    /** By these authorities; by those that the JDK trusts where there are none. */
    private static X509ExtendedTrustManager issuers(List<X509Certificate> authorities) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(authorities.isEmpty() ? (KeyStore) null : TlsEngines.storeOf(authorities));
        for (TrustManager each : factory.getTrustManagers()) {
            if (each instanceof X509ExtendedTrustManager extended) {
                return extended;
            }
        }
        throw new NoSuchAlgorithmException("no trust manager that looks at hosts");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, @Nullable SSLEngine engine)
            throws CertificateException {
        X509Certificate shown = chain[0];
        X509ExtendedTrustManager issuers = authorities;
        try {
            if (issuers != null) {
                issuers.checkServerTrusted(chain, kind, engine);
            }
        } catch (CertificateException e) {
            throw Untrusted.because(shown, e);
        }
        if (!pins.isEmpty() && !pins.contains(pin(shown))) {
            throw new CertificateException(
                    Untrusted.named(shown) + " has no key that is pinned, but sha256/" + pin(shown));
        }
    }

    /** Of what was thrown in a handshake, that with which an operator can do something: why a certificate isn't trusted, where that is it. */
    public static Throwable plain(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof CertificateException) {
                return each;
            }
        }
        return thrown;
    }

    private static String pin(X509Certificate certificate) throws CertificateException {
        try {
            byte[] key = certificate.getPublicKey().getEncoded();
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(key));
        } catch (NoSuchAlgorithmException e) {
            throw new CertificateException(e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        throw new CertificateException("nobody says for which host (expected: an engine that does)");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, @Nullable Socket socket)
            throws CertificateException {
        checkServerTrusted(chain, kind);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        throw new CertificateException("a client (expected: a node)");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, @Nullable Socket socket)
            throws CertificateException {
        checkClientTrusted(chain, kind);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, @Nullable SSLEngine engine)
            throws CertificateException {
        checkClientTrusted(chain, kind);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        X509ExtendedTrustManager issuers = authorities;
        return issuers == null ? new X509Certificate[0] : issuers.getAcceptedIssuers();
    }
}
