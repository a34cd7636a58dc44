package net.oooops.sigma.plugins.authentication.jwt;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import net.oooops.sigma.api.Settings;

/** Certificates that are trusted instead of those that the JDK trusts. */
final class Trust {
    private Trust() {}

    /** Those of the file in PEM that a setting names. */
    static SSLContext of(Settings name) {
        try (InputStream in = Files.newInputStream(Path.of(name.string()))) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + store.size(), each);
            }
            if (store.size() == 0) {
                throw name.unexpected("a file with certificates in PEM");
            }
            TrustManagerFactory trusting = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusting.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trusting.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw name.unexpected("a file with certificates in PEM (" + e + ")");
        }
    }
}
