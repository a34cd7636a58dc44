package net.oooops.sigma.config;

import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.config.TlsConfig.Version;
import org.jspecify.annotations.Nullable;

/**
 * How TLS is spoken to the nodes of an upstream: its {@code ssl}.
 *
 * @param trust what a node's certificate is measured by
 * @param serverName the host that nodes are asked for (SNI) and that their certificate has to be for; null: each node's own
 * @param shown the certificate that Sigma shows to nodes that ask for one, or null
 * @param minVersion the oldest version that is spoken
 * @param ciphers the suites of TLS 1.2 that may be agreed on, by their IANA names, best first; those of TLS 1.3 always may
 * @param alpn the protocols that nodes are offered (RFC 7301), best first; none: nothing is said of any
 * @param pointer where it stands in sigma.json (RFC 6901); where it is left out, that of the upstream
 */
public record NodeTlsConfig(
        Trust trust,
        @Nullable String serverName,
        @Nullable Shown shown,
        Version minVersion,
        List<String> ciphers,
        List<String> alpn,
        String pointer) {
    /**
     * What is trusted.
     *
     * @param file where they are who may have issued it, in PEM, to be read again when it changes; null: those that the JDK trusts
     * @param authorities what was in it when sigma.json was read
     * @param pins the SHA-256 of public keys (SubjectPublicKeyInfo) in Base64, one of which it has to have, or one of those that it is
     *     verified by; none: any key will do
     * @param insecure whether a certificate is neither verified nor has to be for the node's host
     */
    public record Trust(@Nullable Path file, List<X509Certificate> authorities, List<String> pins, boolean insecure) {
        /** Who the JDK trusts is. */
        public static final Trust DEFAULT = new Trust(null, List.of(), List.of(), false);

        public Trust {
            authorities = List.copyOf(authorities);
            pins = List.copyOf(pins);
        }

        private boolean isAs(Trust other) {
            // What is in a file is read again when it changes, whoever reads sigma.json.
            return Objects.equals(file, other.file)
                    && (file != null || authorities.equals(other.authorities))
                    && pins.equals(other.pins)
                    && insecure == other.insecure;
        }
    }

    /**
     * The certificate that is shown to nodes.
     *
     * @param files where it is, to be read again when they change
     * @param found what was in them when sigma.json was read
     */
    public record Shown(CertificateFiles files, KeyedCertificate found) {}

    public NodeTlsConfig {
        ciphers = List.copyOf(ciphers);
        alpn = List.copyOf(alpn);
    }

    /**
     * Whether it says the same as that one, wherever in sigma.json. Files are the same where they have the same names: what is in them is
     * followed by whoever speaks TLS.
     */
    public boolean isAs(NodeTlsConfig other) {
        return trust.isAs(other.trust)
                && Objects.equals(serverName, other.serverName)
                && Objects.equals(filesOf(shown), filesOf(other.shown))
                && minVersion == other.minVersion
                && ciphers.equals(other.ciphers)
                && alpn.equals(other.alpn);
    }

    private static @Nullable CertificateFiles filesOf(@Nullable Shown shown) {
        return shown == null ? null : shown.files();
    }

    /** One of which nothing is said. */
    static NodeTlsConfig unsaid(List<String> alpn, String pointer) {
        return new NodeTlsConfig(Trust.DEFAULT, null, null, Version.TLS_1_2, TlsConfig.CIPHERS_DEFAULT, alpn, pointer);
    }
}
