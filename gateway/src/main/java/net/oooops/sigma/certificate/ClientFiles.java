package net.oooops.sigma.certificate;

import java.nio.file.Path;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files that clients' certificates are measured by.
 *
 * @param authorities who may have issued them, in PEM
 * @param revocations the lists of those that are no longer good, in PEM; null where nobody looks
 */
public record ClientFiles(Path authorities, @Nullable Path revocations) {
    /** What was in them. */
    public record Found(List<X509Certificate> authorities, List<X509CRL> revocations) {
        public Found {
            authorities = List.copyOf(authorities);
            revocations = List.copyOf(revocations);
        }
    }

    /** Both, or the one. */
    public List<Path> all() {
        List<Path> all = new ArrayList<>();
        all.add(authorities);
        if (revocations != null) {
            all.add(revocations);
        }
        return all;
    }

    /**
     * Reads the authorities.
     *
     * @throws CertificateFault where there are none
     */
    public static List<X509Certificate> authorities(Path file) throws CertificateFault {
        List<X509Certificate> found = PemFile.certificates(CertificateFiles.bytes(file));
        if (found.isEmpty()) {
            throw new CertificateFault(
                    CertificateFault.Part.CERTIFICATE, "which holds no certificate", "certificates in PEM");
        }
        return found;
    }

    /**
     * Reads the lists.
     *
     * @throws CertificateFault where there are none
     */
    public static List<X509CRL> revocations(Path file) throws CertificateFault {
        List<X509CRL> found = PemFile.revocations(CertificateFiles.bytes(file));
        if (found.isEmpty()) {
            throw new CertificateFault(
                    CertificateFault.Part.CERTIFICATE, "which holds no list", "-----BEGIN X509 CRL-----");
        }
        return found;
    }
}
