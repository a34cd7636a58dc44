package net.oooops.sigma.tls;

import java.nio.file.Path;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.KeyedCertificate;

/** A certificate, or what goes with it, can't be used. */
public final class TlsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String found;
    private final String expected;

    /** A certificate can't be shown. */
    TlsException(Path file, Throwable cause) {
        super(cause);
        this.found = "the certificate of " + file + ", which can't be shown: " + why(cause);
        this.expected =
                "the certificate once, then those that lead to its root, with a key and ciphers that TLS is spoken with";
    }

    /** A file doesn't hold what it is to. */
    TlsException(Path file, CertificateFault fault) {
        super(fault);
        this.found = file + ", " + fault.found();
        this.expected = fault.expected();
    }

    /** Reads a certificate. */
    static KeyedCertificate read(CertificateFiles files) {
        try {
            return files.read();
        } catch (CertificateFault e) {
            throw new TlsException(files.of(e.part()), e);
        }
    }

    private static String why(Throwable cause) {
        Throwable first = cause;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        return String.valueOf(first.getMessage());
    }

    @Override
    public String getMessage() {
        return found + " (expected: " + expected + ")";
    }

    /** What can't be used, and why. */
    public String found() {
        return found;
    }

    /** What can be. */
    public String expected() {
        return expected;
    }
}
