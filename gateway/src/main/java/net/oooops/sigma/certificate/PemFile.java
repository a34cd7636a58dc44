package net.oooops.sigma.certificate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import net.oooops.sigma.certificate.CertificateFault.Part;

/** Files of PEM (RFC 7468): blocks between a line that begins and one that ends them; what stands around them is skipped. */
public final class PemFile {
    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";
    private static final int LINE_CHARS = 64;

    /** What Windows writes before UTF-8. */
    private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF";

    private static final String KEY_EXPECTED =
            "a private key in PEM: PRIVATE KEY, ENCRYPTED PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY";

    private record Block(String label, String body) {
        byte[] der(Part part) throws CertificateFault {
            try {
                return Base64.getDecoder().decode(body);
            } catch (IllegalArgumentException e) {
                throw new CertificateFault(part, "whose " + label + " isn't Base64", "whole blocks of PEM");
            }
        }
    }

    private PemFile() {}

    /**
     * The certificates in a file, in its order; none where it has none.
     *
     * @throws CertificateFault where one of them can't be read
     */
    public static List<X509Certificate> certificates(byte[] file) throws CertificateFault {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks(file, Part.CERTIFICATE)) {
            if (!block.label().equals("CERTIFICATE") && !block.label().equals("X509 CERTIFICATE")) {
                continue;
            }
            try {
                CertificateFactory factory = CertificateFactory.getInstance("X.509");
                certificates.add((X509Certificate)
                        factory.generateCertificate(new ByteArrayInputStream(block.der(Part.CERTIFICATE))));
            } catch (CertificateException e) {
                int number = certificates.size() + 1;
                throw new CertificateFault(
                        Part.CERTIFICATE, "whose certificate " + number + " can't be read", "certificates in PEM");
            }
        }
        return certificates;
    }

    /**
     * The lists of revoked certificates in a file (RFC 5280 section 5); none where it has none.
     *
     * @throws CertificateFault where one of them can't be read
     */
    public static List<X509CRL> revocations(byte[] file) throws CertificateFault {
        List<X509CRL> lists = new ArrayList<>();
        for (Block block : blocks(file, Part.CERTIFICATE)) {
            if (!block.label().equals("X509 CRL")) {
                continue;
            }
            try {
                CertificateFactory factory = CertificateFactory.getInstance("X.509");
                lists.add((X509CRL) factory.generateCRL(new ByteArrayInputStream(block.der(Part.CERTIFICATE))));
            } catch (CertificateException | CRLException e) {
                throw new CertificateFault(
                        Part.CERTIFICATE, "whose list " + (lists.size() + 1) + " can't be read", "lists in PEM");
            }
        }
        return lists;
    }

    /** A block, as it is written. */
    public static String block(String label, byte[] der) {
        String lines = Base64.getMimeEncoder(LINE_CHARS, new byte[] {'\n'}).encodeToString(der);
        return BEGIN + label + DASHES + '\n' + lines + '\n' + END + label + DASHES + '\n';
    }

    /**
     * The first private key in a file.
     *
     * @param password empty where there is none
     */
    static PrivateKey key(byte[] file, char[] password) throws CertificateFault {
        for (Block block : blocks(file, Part.KEY)) {
            switch (block.label()) {
                case "PRIVATE KEY" -> {
                    return key(block.der(Part.KEY));
                }
                case "ENCRYPTED PRIVATE KEY" -> {
                    return key(decrypted(block.der(Part.KEY), password));
                }
                case "RSA PRIVATE KEY" -> {
                    return key(Pkcs8.ofRsa(traditional(block, file)));
                }
                case "EC PRIVATE KEY" -> {
                    return key(Pkcs8.ofEc(traditional(block, file)));
                }
                default -> {
                    // Parameters of a curve, certificates.
                }
            }
        }
        throw new CertificateFault(Part.KEY, "which holds no private key", KEY_EXPECTED);
    }

    /**
     * A private key and its public one, in blocks of their own ({@code PRIVATE KEY}, {@code PUBLIC KEY}): the JDK can't make the one of the other.
     *
     * @throws CertificateFault where one of them isn't there
     */
    public static KeyPair keys(byte[] file) throws CertificateFault {
        PrivateKey key = key(file, new char[0]);
        for (Block block : blocks(file, Part.KEY)) {
            if (block.label().equals("PUBLIC KEY")) {
                try {
                    X509EncodedKeySpec spec = new X509EncodedKeySpec(block.der(Part.KEY));
                    return new KeyPair(
                            KeyFactory.getInstance(key.getAlgorithm()).generatePublic(spec), key);
                } catch (GeneralSecurityException e) {
                    throw new CertificateFault(Part.KEY, "whose public key can't be read", "the private key's own");
                }
            }
        }
        throw new CertificateFault(Part.KEY, "which holds no public key", "PRIVATE KEY, and PUBLIC KEY behind it");
    }

    private static byte[] traditional(Block block, byte[] file) throws CertificateFault {
        if (new String(file, ISO_8859_1).contains("Proc-Type: 4,ENCRYPTED")) {
            throw new CertificateFault(
                    Part.KEY,
                    "which is encrypted in OpenSSL's old way",
                    "ENCRYPTED PRIVATE KEY, as \"openssl pkcs8 -topk8\" makes it");
        }
        return block.der(Part.KEY);
    }

    private static PrivateKey key(byte[] pkcs8) throws CertificateFault {
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(pkcs8);
        for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException e) {
                // Another algorithm's.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("a JDK without " + algorithm, e);
            }
        }
        throw new CertificateFault(Part.KEY, "whose key can't be read", "a key of RSA, EC or Ed25519");
    }

    private static byte[] decrypted(byte[] der, char[] password) throws CertificateFault {
        if (password.length == 0) {
            throw new CertificateFault(Part.KEY, "which is encrypted", "\"password-file\" beside it");
        }
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
            // The JDK names the whole of a scheme in its parameters.
            String name = info.getAlgParameters() == null
                    ? info.getAlgName()
                    : info.getAlgParameters().toString();
            SecretKey secret = SecretKeyFactory.getInstance(name).generateSecret(new PBEKeySpec(password));
            Cipher cipher = Cipher.getInstance(name);
            cipher.init(Cipher.DECRYPT_MODE, secret, info.getAlgParameters());
            return info.getKeySpec(cipher).getEncoded();
        } catch (InvalidKeySpecException e) {
            throw new CertificateFault(Part.PASSWORD, "which is not its password", "the password of the key");
        } catch (GeneralSecurityException | java.io.IOException e) {
            throw new CertificateFault(
                    Part.KEY, "which is encrypted in a way that isn't known", "a key of PKCS #8 with PBES2");
        }
    }

    private static List<Block> blocks(byte[] file, Part part) throws CertificateFault {
        List<Block> blocks = new ArrayList<>();
        String label = null;
        StringBuilder body = new StringBuilder();
        for (String line : new String(file, ISO_8859_1)
                .replace(BYTE_ORDER_MARK, "")
                .lines()
                .toList()) {
            String text = line.strip();
            if (label == null) {
                if (text.startsWith(BEGIN) && text.endsWith(DASHES)) {
                    label = text.substring(BEGIN.length(), text.length() - DASHES.length());
                    body.setLength(0);
                }
            } else if (text.equals(END + label + DASHES)) {
                blocks.add(new Block(label, body.toString()));
                label = null;
            } else if (text.startsWith(DASHES)) {
                // The next one, perhaps on the same line: left out in silence, a chain would be incomplete.
                throw noEnd(label, part);
            } else if (text.indexOf(':') < 0) {
                body.append(text);
            }
        }
        if (label != null) {
            throw noEnd(label, part);
        }
        return blocks;
    }

    private static CertificateFault noEnd(String label, Part part) {
        return new CertificateFault(part, "in which " + BEGIN + label + DASHES + " has no end", "whole blocks of PEM");
    }
}
