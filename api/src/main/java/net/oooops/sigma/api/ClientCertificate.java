package net.oooops.sigma.api;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * A certificate that a client has shown and Sigma has verified: whose it is. What is asked for is found out once for a connection, and then costs
 * nothing and allocates nothing.
 *
 * <p>Safe for use from any thread.
 */
public final class ClientCertificate {
    /** What a name is (RFC 5280 section 4.2.1.6). */
    public enum Kind {
        /** An address of mail, {@code rfc822Name}. */
        EMAIL,
        /** A host, {@code dNSName}. */
        DNS,
        /** {@code uniformResourceIdentifier}, such as the id of a workload in SPIFFE. */
        URI
    }

    /**
     * One of its subject alternative names.
     *
     * @param text as it stands there, but hosts, and those of mail, in lower case
     */
    public record Name(Kind kind, String text) {
        public Name {
            text = switch (kind) {
                case DNS -> text.toLowerCase(Locale.ROOT);
                case EMAIL -> {
                    int host = text.lastIndexOf('@') + 1;
                    yield text.substring(0, host) + text.substring(host).toLowerCase(Locale.ROOT);
                }
                case URI -> text;
            };
        }
    }

    private final X509Certificate x509;
    private final X500Principal subject;
    private volatile @Nullable String fingerprint;
    private volatile @Nullable List<Name> names;

    public ClientCertificate(X509Certificate x509) {
        this.x509 = x509;
        this.subject = x509.getSubjectX500Principal();
    }

    /** The certificate itself. */
    public X509Certificate x509() {
        return x509;
    }

    /** SHA-256 of all of it, as 64 hexadecimal digits in lower case. */
    public String fingerprint() {
        String found = fingerprint;
        if (found == null) {
            try {
                found = HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(x509.getEncoded()));
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("a certificate that was verified", e);
            }
            fingerprint = found;
        }
        return found;
    }

    /** Its subject, which is equal to another one as RFC 5280 section 7.1 has it: without regard to letter case and white space. */
    public X500Principal subject() {
        return subject;
    }

    /** Its subject alternative names of these kinds, in their order; empty where there are none, or they can't be read. */
    public List<Name> names() {
        List<Name> found = names;
        if (found == null) {
            found = read();
            names = found;
        }
        return found;
    }

    private List<Name> read() {
        try {
            Collection<List<?>> all = x509.getSubjectAlternativeNames();
            List<Name> found = new ArrayList<>();
            for (List<?> each : all == null ? List.<List<?>>of() : all) {
                Kind kind = kind((Integer) each.getFirst());
                if (kind != null && each.get(1) instanceof String text) {
                    found.add(new Name(kind, text));
                }
            }
            return List.copyOf(found);
        } catch (CertificateParsingException e) {
            return List.of();
        }
    }

    private static @Nullable Kind kind(int choice) {
        return switch (choice) {
            case 1 -> Kind.EMAIL;
            case 2 -> Kind.DNS;
            case 6 -> Kind.URI;
            default -> null;
        };
    }
}
