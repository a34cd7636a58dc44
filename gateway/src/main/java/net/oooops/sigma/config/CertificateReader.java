package net.oooops.sigma.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.CertificateFiles.Form;
import net.oooops.sigma.certificate.ClientFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import org.jspecify.annotations.Nullable;

/** Reads the certificates, keys and lists in the files that an {@code ssl} names. A problem in one is a problem of the place that names it. */
final class CertificateReader {
    /** As the log of a gateway that runs. */
    private static final Duration EXPIRES_SOON = Duration.ofDays(14);

    private final Problems problems;
    private final Problems warnings;

    /** What was read, and from where. */
    record Read(CertificateFiles files, KeyedCertificate found) {}

    CertificateReader(Problems problems, Problems warnings) {
        this.problems = problems;
        this.warnings = warnings;
    }

    /** What {@code certPath} and the keys beside it name; null where there is a problem with that. */
    @Nullable Read certificate(Json written) {
        Json certificate = written.get("certPath");
        Json key = written.get("keyPath");
        Json password = written.get("password-file");
        Json type = written.get("type");
        if (type != null && problems.has(type)) {
            return null;
        }
        Form form = Form.valueOf(written.text("type", "pem").toUpperCase(Locale.ROOT));
        if (key != null && form != Form.PEM) {
            problems.key(key, "\"keyPath\"", "none: the key stands in the key store, which is \"certPath\"", null);
        }
        Path certificatePath = path(certificate);
        Path keyPath = path(key);
        Path passwordPath = path(password);
        if (certificate == null || certificatePath == null || problems.isWithin(written)) {
            return null;
        }
        CertificateFiles files = new CertificateFiles(form, certificatePath, keyPath, passwordPath);
        try {
            KeyedCertificate found = files.read();
            Instant now = Instant.now();
            if (now.plus(EXPIRES_SOON).isAfter(found.notAfter())) {
                String when = now.isAfter(found.notAfter()) ? ", which has expired at " : ", which expires at ";
                String shown = certificate.shown() + when + found.notAfter();
                warnings.value(certificate, shown, "a certificate that is good for two weeks and more", null);
            }
            return new Read(files, found);
        } catch (CertificateFault e) {
            Json at = switch (e.part()) {
                case CERTIFICATE -> certificate;
                case KEY -> key == null ? certificate : key;
                case PASSWORD -> password == null ? certificate : password;
            };
            problems.value(at, at.shown() + ", " + e.found(), e.expected(), null);
            return null;
        }
    }

    /** Those in a file in PEM; none where there is a problem with it. */
    List<X509Certificate> authorities(Json file) {
        Path path = path(file);
        if (path == null) {
            return List.of();
        }
        try {
            return ClientFiles.authorities(path);
        } catch (CertificateFault e) {
            problems.value(file, file.shown() + ", " + e.found(), e.expected(), null);
            return List.of();
        }
    }

    /** The lists of revoked certificates in a file in PEM; none where there is a problem with it. */
    List<X509CRL> revocations(Json file) {
        Path path = path(file);
        if (path == null) {
            return List.of();
        }
        try {
            return ClientFiles.revocations(path);
        } catch (CertificateFault e) {
            problems.value(file, file.shown() + ", " + e.found(), e.expected(), null);
            return List.of();
        }
    }

    /** Where a file is that is named; null where there is a problem with the name. */
    @Nullable Path path(@Nullable Json file) {
        return path(file, "the path of a file");
    }

    @Nullable Path path(@Nullable Json file, String expected) {
        if (file == null || !file.isText() || problems.has(file)) {
            return null;
        }
        try {
            return file.path();
        } catch (InvalidPathException e) {
            problems.value(file, expected);
            return null;
        }
    }
}
