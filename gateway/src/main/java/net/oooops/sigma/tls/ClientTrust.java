package net.oooops.sigma.tls;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CRLReason;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateRevokedException;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.Map;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import net.oooops.sigma.certificate.ClientFiles.Found;
import org.jspecify.annotations.Nullable;

/**
 * Which certificates of clients are trusted: those that one of the authorities has issued, and that are on none of the lists of revoked ones.
 * Immutable, any thread.
 */
final class ClientTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager issuers;
    private final Found found;

    private ClientTrust(X509ExtendedTrustManager issuers, Found found) {
        this.issuers = issuers;
        this.found = found;
    }

    static ClientTrust of(Found found) throws GeneralSecurityException {
        KeyStore authorities = TlsEngines.storeOf(found.authorities());
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(authorities, new X509CertSelector());
        parameters.setRevocationEnabled(false);
        if (!found.revocations().isEmpty()) {
            parameters.addCertStore(
                    CertStore.getInstance("Collection", new CollectionCertStoreParameters(found.revocations())));
            PKIXRevocationChecker checker =
                    (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
            // By the lists given, and by nothing else: nobody is asked while a client waits.
            checker.setOptions(
                    EnumSet.of(PKIXRevocationChecker.Option.PREFER_CRLS, PKIXRevocationChecker.Option.NO_FALLBACK));
            parameters.addCertPathChecker(checker);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(new CertPathTrustManagerParameters(parameters));
        for (TrustManager each : factory.getTrustManagers()) {
            if (each instanceof X509ExtendedTrustManager extended) {
                return new ClientTrust(extended, found);
            }
        }
        throw new NoSuchAlgorithmException("no trust manager of PKIX");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, @Nullable SSLEngine engine)
            throws CertificateException {
        check(chain, () -> issuers.checkClientTrusted(chain, kind, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, @Nullable Socket socket)
            throws CertificateException {
        check(chain, () -> issuers.checkClientTrusted(chain, kind, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        check(chain, () -> issuers.checkClientTrusted(chain, kind));
    }

    private interface Check {
        void run() throws CertificateException;
    }

    private void check(X509Certificate[] chain, Check byIssuers) throws CertificateException {
        try {
            byIssuers.run();
            checkItself(chain[0]);
        } catch (CertificateException e) {
            throw Untrusted.because(chain[0], e);
        }
    }

    /** The JDK takes a certificate that is among the authorities as it is: neither its dates nor the lists are looked at. */
    private void checkItself(X509Certificate shown) throws CertificateException {
        shown.checkValidity();
        for (X509CRL list : found.revocations()) {
            if (list.getIssuerX500Principal().equals(shown.getIssuerX500Principal()) && list.isRevoked(shown)) {
                throw new CertificateRevokedException(
                        list.getThisUpdate(), CRLReason.UNSPECIFIED, list.getIssuerX500Principal(), Map.of());
            }
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, @Nullable SSLEngine engine)
            throws CertificateException {
        throw new CertificateException("a server (expected: a client)");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, @Nullable Socket socket)
            throws CertificateException {
        checkServerTrusted(chain, kind);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        throw new CertificateException("a server (expected: a client)");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return issuers.getAcceptedIssuers();
    }
}
