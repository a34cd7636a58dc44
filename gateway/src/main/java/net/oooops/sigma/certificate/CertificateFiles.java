package net.oooops.sigma.certificate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.oooops.sigma.certificate.CertificateFault.Part;
import org.jspecify.annotations.Nullable;

/**
 * Where a certificate and its key are.
 *
 * @param form what kind of files these are
 * @param certificates the file of the certificates; the key store where that is the form
 * @param key the file of the key; null for a key store
 * @param password the file whose first line is the password of the key or the key store; null where there is none
 */
public record CertificateFiles(
        Form form,
        Path certificates,
        @Nullable Path key,
        @Nullable Path password) {
    /** A kind of files. */
    public enum Form {
        /** Two files of text: RFC 7468. */
        PEM,
        /** A key store of RFC 7292. */
        PKCS12,
        /** A key store of Java's own. */
        JKS,
        /** None: nobody has issued the certificate, and it is made when it is read. */
        SELF_SIGNED
    }

    /** Of a certificate that is in no file: named by what it is. */
    public static final CertificateFiles SELF_SIGNED =
            new CertificateFiles(Form.SELF_SIGNED, Path.of("self-signed"), null, null);

    /** The longest file that is read. */
    public static final int FILE_BYTES_MAX = 1 << 20;

    /** No client takes shorter keys, and BoringSSL no longer ones: each handshake would fail. */
    private static final int RSA_BITS_MIN = 1024;

    private static final int RSA_BITS_MAX = 8192;

    /** Whether there are none, and the certificate is self-signed. */
    public boolean isSelfSigned() {
        return form == Form.SELF_SIGNED;
    }

    /** All that there are: whoever watches for changes looks at these. */
    public List<Path> all() {
        List<Path> all = new ArrayList<>();
        if (isSelfSigned()) {
            return all;
        }
        all.add(certificates);
        if (key != null) {
            all.add(key);
        }
        if (password != null) {
            all.add(password);
        }
        return all;
    }

    /** The one that a fault is about. */
    public Path of(Part part) {
        Path file = switch (part) {
            case CERTIFICATE -> certificates;
            case KEY -> key;
            case PASSWORD -> password;
        };
        return file == null ? certificates : file;
    }

    /**
     * Reads them.
     *
     * @throws CertificateFault where they don't hold a certificate and its key
     */
    public KeyedCertificate read() throws CertificateFault {
        if (isSelfSigned()) {
            return SelfSigned.forLocalhost(Instant.now());
        }
        char[] secret = password == null ? new char[0] : secret(bytes(Part.PASSWORD, password));
        KeyedCertificate found = form == Form.PEM ? pem(secret) : keyStore(secret);
        if (found.key() instanceof RSAKey rsa && !isUsable(rsa)) {
            throw new CertificateFault(
                    key == null ? Part.CERTIFICATE : Part.KEY,
                    "whose RSA key has " + rsa.getModulus().bitLength() + " bits",
                    RSA_BITS_MIN + " to " + RSA_BITS_MAX + " bits");
        }
        if (!isOf(found.key(), found.certificate())) {
            throw new CertificateFault(
                    key == null ? Part.CERTIFICATE : Part.KEY,
                    "whose key is another certificate's",
                    "the key of the certificate");
        }
        return found;
    }

    private KeyedCertificate pem(char[] secret) throws CertificateFault {
        List<X509Certificate> chain = PemFile.certificates(bytes(Part.CERTIFICATE, certificates));
        if (chain.isEmpty()) {
            throw new CertificateFault(
                    Part.CERTIFICATE, "which holds no certificate", "a file in PEM: -----BEGIN CERTIFICATE-----");
        }
        Path file = key == null ? certificates : key;
        return new KeyedCertificate(chain, PemFile.key(bytes(Part.KEY, file), secret));
    }

    private KeyedCertificate keyStore(char[] secret) throws CertificateFault {
        try (InputStream in = new ByteArrayInputStream(bytes(Part.CERTIFICATE, certificates))) {
            KeyStore store = KeyStore.getInstance(form.name());
            store.load(in, secret);
            List<KeyedCertificate> all = new ArrayList<>();
            for (String alias : Collections.list(store.aliases())) {
                if (store.getKey(alias, secret) instanceof PrivateKey found) {
                    all.add(new KeyedCertificate(chain(store.getCertificateChain(alias)), found));
                }
            }
            if (all.size() != 1) {
                String count = all.isEmpty() ? "no private key" : all.size() + " private keys";
                throw new CertificateFault(Part.CERTIFICATE, "which holds " + count, "a key store with one");
            }
            return all.getFirst();
        } catch (UnrecoverableKeyException e) {
            throw wrongPassword();
        } catch (IOException | GeneralSecurityException e) {
            if (e.getCause() instanceof UnrecoverableKeyException) {
                throw wrongPassword();
            }
            throw new CertificateFault(
                    Part.CERTIFICATE, "which can't be read as one", "a key store of type " + form.name());
        }
    }

    private static List<X509Certificate> chain(Certificate @Nullable [] stored) throws CertificateFault {
        if (stored == null || stored.length == 0) {
            throw new CertificateFault(
                    Part.CERTIFICATE, "whose private key has no certificate", "a key store with both");
        }
        List<X509Certificate> chain = new ArrayList<>();
        for (Certificate each : stored) {
            chain.add((X509Certificate) each);
        }
        return chain;
    }

    private CertificateFault wrongPassword() {
        return password == null
                ? new CertificateFault(Part.CERTIFICATE, "which has a password", "\"password-file\" beside it")
                : new CertificateFault(Part.PASSWORD, "which is not its password", "the password of the key store");
    }

    private static boolean isUsable(RSAKey key) {
        int bits = key.getModulus().bitLength();
        return bits >= RSA_BITS_MIN && bits <= RSA_BITS_MAX;
    }

    /** Whether a key and a certificate belong together: what the one signs, the other verifies. */
    private static boolean isOf(PrivateKey key, X509Certificate certificate) {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA", "RSASSA-PSS" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            case "EdDSA", "Ed25519" -> "Ed25519";
            default -> null;
        };
        if (algorithm == null || !sameKind(key.getAlgorithm(), certificate)) {
            return false;
        }
        try {
            byte[] words = algorithm.getBytes(UTF_8);
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(words);
            byte[] signature = signing.sign();
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(certificate.getPublicKey());
            verifying.update(words);
            return verifying.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static boolean sameKind(String key, X509Certificate certificate) {
        return certificate.getPublicKey().getAlgorithm().equals(key);
    }

    /**
     * The bytes of a file.
     *
     * @throws CertificateFault where it can't be read, or is longer than {@link #FILE_BYTES_MAX}
     */
    public static byte[] bytes(Path file) throws CertificateFault {
        return bytes(Part.CERTIFICATE, file);
    }

    private static byte[] bytes(Part part, Path file) throws CertificateFault {
        if (Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file)) {
            // Opening it could take for ever.
            throw new CertificateFault(part, "which is a pipe or a device", "a file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(FILE_BYTES_MAX + 1);
            if (bytes.length > FILE_BYTES_MAX) {
                throw new CertificateFault(part, "which is longer", "a file of at most 1 MiB");
            }
            return bytes;
        } catch (NoSuchFileException e) {
            throw new CertificateFault(part, "which is not there", "a file");
        } catch (AccessDeniedException e) {
            // Who checks may be root, and who runs it another one.
            String user = System.getProperty("user.name", "?");
            throw new CertificateFault(part, "which the user " + user + " can't read", "a file that can be read");
        } catch (IOException e) {
            String why = Files.isDirectory(file) ? "which is a folder" : "which can't be read";
            throw new CertificateFault(part, why, "a file that can be read");
        }
    }

    private static char[] secret(byte[] bytes) throws CertificateFault {
        String firstLine = new String(bytes, UTF_8).lines().findFirst().orElse("");
        if (firstLine.isEmpty()) {
            throw new CertificateFault(Part.PASSWORD, "whose first line is empty", "a password");
        }
        return firstLine.toCharArray();
    }
}
