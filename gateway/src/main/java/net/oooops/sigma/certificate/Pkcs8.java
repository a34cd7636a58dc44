package net.oooops.sigma.certificate;

import java.util.Arrays;
import net.oooops.sigma.certificate.CertificateFault.Part;

/**
 * Puts keys of the older forms into the one that the JDK reads (RFC 5958): {@code SEQUENCE { version 0, algorithm, OCTET STRING { key } }}.
 */
final class Pkcs8 {
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    private static final int CURVE = 0xA0;
    /** No key is longer than these can say. */
    private static final int LENGTH_OCTETS_MAX = 3;

    private static final byte[] VERSION = {2, 1, 0};
    /** {@code SEQUENCE { rsaEncryption, NULL }} (RFC 8017 appendix A.1). */
    private static final byte[] RSA = {
        0x30, 0x0D, 6, 9, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 0x0D, 1, 1, 1, 5, 0
    };
    /** {@code id-ecPublicKey} (RFC 5480 section 2.1.1). */
    private static final byte[] EC = {6, 7, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 2, 1};

    private Pkcs8() {}

    /** Of an RSAPrivateKey (RFC 8017 appendix A.1.2). */
    static byte[] ofRsa(byte[] key) {
        return wrap(SEQUENCE, VERSION, RSA, wrap(OCTET_STRING, key));
    }

    /** Of an ECPrivateKey (RFC 5915), which says which curve it is on. */
    static byte[] ofEc(byte[] key) throws CertificateFault {
        return wrap(SEQUENCE, VERSION, wrap(SEQUENCE, EC, curve(key)), wrap(OCTET_STRING, key));
    }

    /** What stands in its part [0]: {@code SEQUENCE { version 1, OCTET STRING, [0] curve, [1] public key }}. */
    private static byte[] curve(byte[] key) throws CertificateFault {
        int at = contentStart(key, 0);
        while (at < key.length) {
            int start = contentStart(key, at);
            int end = start + length(key, at);
            if (end > key.length) {
                break;
            }
            if ((key[at] & 0xFF) == CURVE) {
                return Arrays.copyOfRange(key, start, end);
            }
            at = end;
        }
        throw new CertificateFault(Part.KEY, "whose EC key names no curve", "a private key of PKCS #8");
    }

    private static int contentStart(byte[] der, int at) throws CertificateFault {
        int first = octet(der, at + 1);
        return at + 2 + (first < 0x80 ? 0 : first & 0x7F);
    }

    private static int length(byte[] der, int at) throws CertificateFault {
        int first = octet(der, at + 1);
        if (first < 0x80) {
            return first;
        }
        int octets = first & 0x7F;
        int length = octets > LENGTH_OCTETS_MAX ? der.length : 0;
        for (int i = 0; i < octets && octets <= LENGTH_OCTETS_MAX; i++) {
            length = length << 8 | octet(der, at + 2 + i);
        }
        return length;
    }

    private static int octet(byte[] der, int at) throws CertificateFault {
        if (at >= der.length) {
            throw new CertificateFault(Part.KEY, "whose key is cut short", "a private key in PEM");
        }
        return der[at] & 0xFF;
    }

    private static byte[] wrap(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        byte[] der = new byte[length + 6];
        int at = 0;
        der[at++] = (byte) tag;
        if (length < 0x80) {
            der[at++] = (byte) length;
        } else {
            int octets = (39 - Integer.numberOfLeadingZeros(length)) / 8;
            der[at++] = (byte) (0x80 | octets);
            for (int shift = (octets - 1) * 8; shift >= 0; shift -= 8) {
                der[at++] = (byte) (length >>> shift);
            }
        }
        for (byte[] part : parts) {
            System.arraycopy(part, 0, der, at, part.length);
            at += part.length;
        }
        return Arrays.copyOf(der, at);
    }
}
