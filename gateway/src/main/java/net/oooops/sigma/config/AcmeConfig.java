package net.oooops.sigma.config;

import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.certificate.CertificateFiles.Form;
import net.oooops.sigma.certificate.KeyedCertificate;
import org.jspecify.annotations.Nullable;

/**
 * Certificates that Sigma asks for itself (ACME, RFC 8555): {@code acme} in an {@code ssl}.
 *
 * @param hosts each of which gets a certificate of its own, in lower case
 * @param email whom the issuer may write to; null: nobody
 * @param binding the account with the issuer that Sigma's own is bound to; null: none
 * @param directory where the issuer is asked
 * @param folder where the account's key and the certificates of this directory are kept
 * @param authorities who may have issued the directory's own certificate; none: those that the JDK trusts
 * @param challenges how the issuer may find out that a host is this gateway's, the one that is tried first in front
 * @param found by host, what was in the folder when sigma.json was read
 */
public record AcmeConfig(
        List<String> hosts,
        @Nullable String email,
        @Nullable Binding binding,
        URI directory,
        Path folder,
        List<X509Certificate> authorities,
        List<Challenge> challenges,
        Map<String, KeyedCertificate> found) {
    /** Where nothing else is written: Let's Encrypt. */
    public static final String DIRECTORY_DEFAULT = "https://acme-v02.api.letsencrypt.org/directory";

    /** Beside sigma.json. */
    public static final String FOLDER_DEFAULT = "acme";

    /** The account's key, in {@link #folder}. */
    public static final String ACCOUNT_KEY = "account.key";

    /**
     * An account that there is with the issuer outside of ACME (RFC 8555 section 7.3.4).
     *
     * @param keyId what the issuer calls the key that it has given for it
     * @param keyFile where that is
     */
    public record Binding(String keyId, Path keyFile) {}

    /** How an issuer finds out that a host is this gateway's. */
    public enum Challenge {
        /** It asks for a page over plain HTTP on port 80 (RFC 8555 section 8.3). */
        HTTP_01("http-01"),
        /** It asks for a certificate in a TLS handshake on port 443 (RFC 8737). */
        TLS_ALPN_01("tls-alpn-01");

        private final String text;

        Challenge(String text) {
            this.text = text;
        }

        /** As sigma.json and the standard write it. */
        public String text() {
            return text;
        }
    }

    public AcmeConfig {
        hosts = List.copyOf(hosts);
        authorities = List.copyOf(authorities);
        challenges = List.copyOf(challenges);
        found = Map.copyOf(found);
    }

    /** Whether the other one asks for the same in the same way; what was found in the folder may differ. */
    public boolean isSame(AcmeConfig other) {
        return equals(new AcmeConfig(
                other.hosts,
                other.email,
                other.binding,
                other.directory,
                other.folder,
                other.authorities,
                other.challenges,
                found));
    }

    /** The one file of a host's certificate and its key. */
    public CertificateFiles files(String host) {
        return files(folder, host);
    }

    static CertificateFiles files(Path folder, String host) {
        return new CertificateFiles(Form.PEM, folder.resolve(host + ".pem"), null, null);
    }

    /** Each directory has a folder of its own in the one that is written, so that a trial of another one leaves nothing behind. */
    static Path folderOf(Path written, URI directory) {
        String name = directory.getAuthority() + directory.getPath();
        return written.resolve(name.replaceAll("[^A-Za-z0-9.]+", "-").replaceAll("-$", ""));
    }
}
