package net.oooops.sigma.plugins.authentication.jwt;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.FileBytes;

/** Certificates that are trusted instead of those that the JDK trusts. Immutable; the same certificates are the same trust. */
record Trust(List<Certificate> certificates) {
    private static final int BYTES_MAX = 8 << 20;

    Trust {
        certificates = List.copyOf(certificates);
    }

    /** Those of the file in PEM that a setting names. */
    static Trust of(Settings name) {
        try {
            byte[] pem = FileBytes.of(Path.of(name.string()), BYTES_MAX);
            Trust trust = new Trust(List.copyOf(
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem))));
            if (trust.certificates.isEmpty()) {
                throw name.unexpected("a file with certificates in PEM");
            }
            trust.context();
            return trust;
        } catch (UnfitException e) {
            throw name.unexpected("a file with certificates in PEM: " + e.expected());
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw name.unexpected("a file with certificates in PEM (" + e + ")");
        }
    }

    /** What tells them from others. */
    String fingerprint() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Certificate each : certificates) {
                digest.update(each.getEncoded());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What trusts them. */
    SSLContext context() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Certificate each : certificates) {
            store.setCertificateEntry("ca" + store.size(), each);
        }
        TrustManagerFactory trusting = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusting.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trusting.getTrustManagers(), null);
        return context;
    }
}
