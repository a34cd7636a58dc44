package net.oooops.sigma.tls;

import io.netty.handler.ssl.OpenSslCertificateException;
import io.netty.handler.ssl.SslProvider;
import io.netty.internal.tcnative.CertificateVerifier;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateRevokedException;
import java.security.cert.X509Certificate;

/** Says of a certificate why it isn't trusted, so that an operator understands the log, and the peer gets the alert that is meant for it. */
final class Untrusted {
    private Untrusted() {}

    /** What to throw for a certificate that was found wanting. */
    static CertificateException because(X509Certificate shown, CertificateException cause) {
        String what = named(shown) + " isn't trusted: " + reason(cause);
        return TlsEngines.provider() == SslProvider.JDK
                ? new CertificateException(what, cause)
                : new OpenSslCertificateException(what, cause, code(cause));
    }

    /** A certificate as the log names it. */
    static String named(X509Certificate certificate) {
        return "the certificate of " + certificate.getSubjectX500Principal() + ", issued by "
                + certificate.getIssuerX500Principal() + ",";
    }

    private static String reason(Throwable thrown) {
        Throwable first = thrown;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        String said = String.valueOf(first.getMessage());
        return first instanceof CertificateExpiredException ? "it has expired (" + said + ")" : said;
    }

    /** As BoringSSL makes an alert of it (RFC 8446 section 6.2): it knows nothing else to say than that something is wrong within. */
    private static int code(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof CertificateExpiredException) {
                return CertificateVerifier.X509_V_ERR_CERT_HAS_EXPIRED;
            } else if (each instanceof CertificateNotYetValidException) {
                return CertificateVerifier.X509_V_ERR_CERT_NOT_YET_VALID;
            } else if (each instanceof CertificateRevokedException) {
                return CertificateVerifier.X509_V_ERR_CERT_REVOKED;
            }
        }
        return CertificateVerifier.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
    }
}
