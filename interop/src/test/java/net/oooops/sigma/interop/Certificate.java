package net.oooops.sigma.interop;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate for localhost that is its own authority, made by openssl.
 *
 * @param file the certificate, PEM
 * @param key its key, PEM
 */
record Certificate(Path file, Path key) {
    private static final Duration MAKING_MAX = Duration.ofSeconds(20);

    static Certificate make(Path folder) {
        Needed.here(Program.find("openssl").isPresent(), "openssl, which makes the certificate (Debian: openssl)");
        Certificate made = new Certificate(folder.resolve("localhost.crt"), folder.resolve("localhost.key"));
        String words =
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
                        + " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout " + made.key + " -out "
                        + made.file;
        Program.Ran ran = Program.run(folder, Map.of(), MAKING_MAX, List.of(words.split(" ")));
        if (ran.exit() != 0) {
            throw new AssertionError(words + " ended with " + ran.exit() + ": " + ran.tail());
        }
        return made;
    }

    /** What trusts this certificate and no other. */
    static TrustManagerFactory trust(Path certificate) {
        try (InputStream in = Files.newInputStream(certificate)) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            return trust;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same for a client. */
    static SSLContext trusting(Path certificate) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust(certificate).getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
