package net.oooops.sigma.config;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.ClientFiles;
import net.oooops.sigma.certificate.ClientFiles.Found;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.SelfSigned;
import org.jspecify.annotations.Nullable;

/**
 * How a listener ends TLS: {@code ssl} of an entry of {@code proxy-server.https}.
 *
 * @param certificates those that it shows; the first one to clients that ask for no name, or for one that none is for
 * @param minVersion the oldest version that is spoken
 * @param ciphers the suites of TLS 1.2 that may be agreed on, by their IANA names, best first; those of TLS 1.3 always may
 * @param alpn the protocols that may be agreed on (RFC 7301), best first; none: that is left to client and node
 * @param strictSni whether a client that asks for a name that no certificate is for is refused
 * @param clients which certificates clients show
 * @param ocspStapling whether what their responders say of them is shown with them
 * @param acme those that it asks for itself, which come behind; null where it asks for none
 * @param pointer where it stands in sigma.json (RFC 6901)
 */
public record TlsConfig(
        List<Shown> certificates,
        Version minVersion,
        List<String> ciphers,
        List<String> alpn,
        boolean strictSni,
        Clients clients,
        boolean ocspStapling,
        @Nullable AcmeConfig acme,
        String pointer) {
    /** A version of TLS. */
    public enum Version {
        TLS_1_2("TLSv1.2"),
        TLS_1_3("TLSv1.3");

        private final String text;

        Version(String text) {
            this.text = text;
        }

        /** As sigma.json and the JDK write it. */
        public String text() {
            return text;
        }
    }

    /**
     * A certificate that is shown.
     *
     * @param files where it is, to be read again when they change
     * @param found what was in them when sigma.json was read
     * @param written for which hosts it is shown, in lower case, some with {@code *} as first label; empty: for those that it is for
     */
    public record Shown(CertificateFiles files, KeyedCertificate found, List<String> written) {
        public Shown {
            written = List.copyOf(written);
        }

        /** For which hosts it is shown. */
        public List<String> hosts() {
            return written.isEmpty() ? found.hosts() : written;
        }
    }

    /** Whether clients show a certificate. */
    public enum ClientAuth {
        NONE,
        REQUEST,
        REQUIRE
    }

    /**
     * Certificates of clients.
     *
     * @param auth whether they are asked for
     * @param files what they are measured by, to be read again when it changes; null where they aren't asked for
     * @param found what was in them when sigma.json was read: who may have issued them, and which of them are no longer good
     */
    public record Clients(ClientAuth auth, @Nullable ClientFiles files, Found found) {
        /** Nobody is asked. */
        public static final Clients UNASKED = new Clients(ClientAuth.NONE, null, new Found(List.of(), List.of()));
    }

    /** The suites of TLS 1.2 where none are written: forward secret, authenticated encryption. */
    public static final List<String> CIPHERS_DEFAULT = List.of(
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /** What HTTPS servers agree on where nothing is written. */
    public static final List<String> ALPN_OF_HTTP = List.of("h2", "http/1.1");

    public TlsConfig {
        certificates = List.copyOf(certificates);
        ciphers = List.copyOf(ciphers);
        alpn = List.copyOf(alpn);
    }

    /** Of a server of which nothing is said: a certificate of its own, made now. */
    static TlsConfig selfSigned(String pointer) {
        Shown made = new Shown(CertificateFiles.SELF_SIGNED, SelfSigned.forLocalhost(Instant.now()), List.of());
        return new TlsConfig(
                List.of(made),
                Version.TLS_1_2,
                CIPHERS_DEFAULT,
                ALPN_OF_HTTP,
                false,
                Clients.UNASKED,
                false,
                null,
                pointer);
    }

    /**
     * Whether what is made of the other one does for this one, too: nothing but what was found in the files differs, which are read again by themselves, and
     * where it stands.
     */
    public boolean isSame(TlsConfig other) {
        return certificates.stream()
                        .map(Shown::written)
                        .toList()
                        .equals(other.certificates.stream().map(Shown::written).toList())
                && certificates.stream()
                        .map(Shown::files)
                        .toList()
                        .equals(other.certificates.stream().map(Shown::files).toList())
                && minVersion == other.minVersion
                && ciphers.equals(other.ciphers)
                && alpn.equals(other.alpn)
                && strictSni == other.strictSni
                && clients.auth() == other.clients.auth()
                && Objects.equals(clients.files(), other.clients.files())
                && ocspStapling == other.ocspStapling
                && (acme == null ? other.acme == null : other.acme != null && acme.isSame(other.acme));
    }

    /** Whether clients are asked the same as by the other one, whatever certificates they are shown: a handshake by one of them does for both. */
    public boolean asksTheSame(TlsConfig other) {
        return minVersion == other.minVersion
                && ciphers.equals(other.ciphers)
                && alpn.equals(other.alpn)
                && strictSni == other.strictSni
                && clients.auth() == other.clients.auth()
                && Objects.equals(clients.files(), other.clients.files());
    }

    /** The same of two; where there is none, connections are plain. */
    public static boolean askTheSame(@Nullable TlsConfig one, @Nullable TlsConfig other) {
        if (one == null || other == null) {
            return one == null && other == null;
        }
        return one.asksTheSame(other);
    }

    /** Whether its certificate is one that nobody has issued. */
    public boolean isSelfSigned() {
        return certificates.stream().anyMatch(shown -> shown.files().isSelfSigned());
    }
}
