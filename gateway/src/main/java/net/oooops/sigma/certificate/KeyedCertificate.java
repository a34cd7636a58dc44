package net.oooops.sigma.certificate;

import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * A certificate with those that lead to its root, and its private key.
 *
 * @param chain the certificate itself first; at least that
 * @param key of the first one
 */
public record KeyedCertificate(List<X509Certificate> chain, PrivateKey key) {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    /** Must-staple: the extension "TLS feature" (RFC 7633). */
    private static final String TLS_FEATURE = "1.3.6.1.5.5.7.1.24";

    /** In it, the INTEGER 5: status_request. */
    private static final byte[] STATUS_REQUEST = {2, 1, 5};

    public KeyedCertificate {
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("a chain without a certificate");
        }
    }

    /** The certificate itself. */
    public X509Certificate certificate() {
        return chain.getFirst();
    }

    /** From when on nobody accepts it any more. */
    public Instant notAfter() {
        return certificate().getNotAfter().toInstant();
    }

    /** When that part of its time is over: 0.5, half of it. */
    public Instant afterPart(double part) {
        Instant from = certificate().getNotBefore().toInstant();
        return from.plusMillis((long) (Duration.between(from, notAfter()).toMillis() * part));
    }

    /** Whether it says of itself that clients are to refuse it where no OCSP response comes with it (RFC 7633). */
    public boolean isMustStaple() {
        byte[] found = certificate().getExtensionValue(TLS_FEATURE);
        int length = STATUS_REQUEST.length;
        for (int at = 0; found != null && at <= found.length - length; at++) {
            if (Arrays.equals(found, at, at + length, STATUS_REQUEST, 0, length)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The hosts that it is for, in lower case, some with {@code *} as their first label, and addresses: its alternative names, or its common
     * name where it has none of them (RFC 9525 section 6.3 wants the former; old ones have the latter).
     */
    public List<String> hosts() {
        List<String> hosts = new ArrayList<>();
        Collection<List<?>> names;
        try {
            names = certificate().getSubjectAlternativeNames();
        } catch (CertificateParsingException e) {
            names = List.of();
        }
        if (names != null) {
            for (List<?> name : names) {
                boolean isHost = name.getFirst() instanceof Integer type && (type == DNS_NAME || type == IP_ADDRESS);
                if (isHost && name.get(1) instanceof String host) {
                    hosts.add(host.toLowerCase(Locale.ROOT));
                }
            }
        }
        return names == null ? commonName() : hosts;
    }

    private List<String> commonName() {
        try {
            for (Rdn rdn : new LdapName(certificate().getSubjectX500Principal().getName()).getRdns()) {
                if (rdn.getType().equalsIgnoreCase("CN") && rdn.getValue() instanceof String host) {
                    return List.of(host.toLowerCase(Locale.ROOT));
                }
            }
        } catch (InvalidNameException e) {
            return List.of();
        }
        return List.of();
    }
}
