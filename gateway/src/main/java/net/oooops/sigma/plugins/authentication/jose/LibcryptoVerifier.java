package net.oooops.sigma.plugins.authentication.jose;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.math.BigInteger;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.Set;
import net.oooops.sigma.plugins.authentication.jose.Algorithm.Kind;
import org.jspecify.annotations.Nullable;

/** Signatures verified by the system's libcrypto, whose key is given back once this one isn't reachable any more. */
final class LibcryptoVerifier implements Verifier {
    private static final int DER_INTEGER = 0x02;
    private static final int DER_SEQUENCE = 0x30;
    private static final int DER_LONG_LENGTH = 0x81;

    private final MemorySegment key;

    private LibcryptoVerifier(MemorySegment key) {
        this.key = key;
    }

    /** Null where there is no libcrypto, or one that doesn't take such a key. */
    static @Nullable Verifier of(PublicKey key) {
        return Libcrypto.whyNot() == null ? tried(key.getEncoded(), PublicKeys.algorithms(key)) : null;
    }

    /**
     * Null where libcrypto doesn't take such a key for one of its algorithms.
     *
     * @param encoded as SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7)
     * @throws LinkageError where libcrypto can't be loaded
     */
    static @Nullable LibcryptoVerifier tried(byte[] encoded, Set<Algorithm> algorithms) {
        MemorySegment read = Libcrypto.key(encoded);
        if (read == null) {
            return null;
        }
        LibcryptoVerifier verifier = new LibcryptoVerifier(read);
        try {
            for (Algorithm each : algorithms) {
                verifier.verify(each, new byte[1], new byte[each.bytes()]);
            }
            return verifier;
        } catch (IllegalStateException e) {
            return null;
        }
    }

    /** @throws IllegalStateException where libcrypto doesn't begin */
    @Override
    public boolean verify(Algorithm algorithm, byte[] signed, byte[] signature) {
        Kind kind = algorithm.kind();
        if ((kind == Kind.EC || kind == Kind.EDWARDS) && signature.length != algorithm.bytes()) {
            return false;
        }
        byte[] form = kind == Kind.EC ? der(signature) : signature;
        try (Arena arena = Arena.ofConfined()) {
            return Libcrypto.verify(arena, key, algorithm, signed, form);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Two numbers of the same length (RFC 7518 section 3.4) as libcrypto has them (RFC 3279 section 2.2.3). */
    private static byte[] der(byte[] numbers) {
        int half = numbers.length / 2;
        byte[] first = new BigInteger(1, Arrays.copyOf(numbers, half)).toByteArray();
        byte[] second = new BigInteger(1, Arrays.copyOfRange(numbers, half, numbers.length)).toByteArray();
        int length = 2 + first.length + 2 + second.length;
        int headLength = length < 0x80 ? 2 : 3;
        byte[] der = new byte[headLength + length];
        der[0] = DER_SEQUENCE;
        der[1] = (byte) DER_LONG_LENGTH;
        der[headLength - 1] = (byte) length;
        integer(der, headLength, first);
        integer(der, headLength + 2 + first.length, second);
        return der;
    }

    private static void integer(byte[] der, int at, byte[] number) {
        der[at] = DER_INTEGER;
        der[at + 1] = (byte) number.length;
        System.arraycopy(number, 0, der, at + 2, number.length);
    }

    /** Of curves that libcrypto has no assembly for, and that are large. */
    @Override
    public boolean takesLong(Algorithm algorithm) {
        return switch (algorithm) {
            case ES384, ES512, ES256K, ED448 -> true;
            default -> false;
        };
    }
}
