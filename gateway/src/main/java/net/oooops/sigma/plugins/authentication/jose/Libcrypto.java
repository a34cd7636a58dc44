package net.oooops.sigma.plugins.authentication.jose;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import net.oooops.sigma.plugins.authentication.jose.Algorithm.Kind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of the system's libcrypto (OpenSSL 3, evp.h) that verify signatures, which costs a part of what the JDK takes. Loaded when it is first
 * asked for. Any thread.
 */
final class Libcrypto {
    private static final Logger LOG = LoggerFactory.getLogger(Libcrypto.class);
    private static final String NAME = "libcrypto.so.3";

    // Of crypto.h and rsa.h.
    private static final long NO_ATEXIT = 0x80000;
    private static final int PSS_PADDING = 6;
    private static final int OK = 1;

    private Libcrypto() {}

    /** Linked once; not at all where something is missing. */
    private static final class Calls {
        private static final ValueLayout INT = ValueLayout.JAVA_INT;
        private static final ValueLayout LONG = ValueLayout.JAVA_LONG;

        @SuppressWarnings("restricted") // It is what this class is for.
        private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(NAME, Arena.global());

        private static final MethodHandle INIT = linked("OPENSSL_init_crypto", INT, LONG, LONG);
        private static final MethodHandle DIGEST = linked("EVP_get_digestbyname", LONG, LONG);
        static final MethodHandle KEY = linked("d2i_PUBKEY", LONG, LONG, LONG, LONG);
        static final MethodHandle KEY_FREE = linked("EVP_PKEY_free", null, LONG);
        static final MethodHandle CONTEXT = linked("EVP_MD_CTX_new", LONG);
        static final MethodHandle CONTEXT_FREE = linked("EVP_MD_CTX_free", null, LONG);
        static final MethodHandle BEGIN = linked("EVP_DigestVerifyInit", INT, LONG, LONG, LONG, LONG, LONG);
        static final MethodHandle VERIFY = linked("EVP_DigestVerify", INT, LONG, LONG, LONG, LONG, LONG);
        static final MethodHandle PADDING = linked("EVP_PKEY_CTX_set_rsa_padding", INT, LONG, INT);
        static final MethodHandle SALT = linked("EVP_PKEY_CTX_set_rsa_pss_saltlen", INT, LONG, INT);
        static final MethodHandle FORGET_ERRORS = linked("ERR_clear_error", null);

        static {
            begin();
        }

        static final long SHA_256 = digest("SHA256");
        static final long SHA_384 = digest("SHA384");
        static final long SHA_512 = digest("SHA512");

        @SuppressWarnings("restricted")
        private static MethodHandle linked(String name, @Nullable MemoryLayout result, MemoryLayout... parameters) {
            FunctionDescriptor form =
                    result == null ? FunctionDescriptor.ofVoid(parameters) : FunctionDescriptor.of(result, parameters);
            return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), form);
        }

        private static long digest(String name) {
            long digest;
            try (Arena arena = Arena.ofConfined()) {
                digest = (long) DIGEST.invokeExact(arena.allocateFrom(name).address());
            } catch (Throwable e) {
                throw failed("EVP_get_digestbyname", e);
            }
            if (digest == 0) {
                throw failed("EVP_get_digestbyname", 0);
            }
            return digest;
        }

        /** Else libcrypto takes itself down when the process exits, while threads may still verify. */
        private static void begin() {
            int result;
            try {
                result = (int) INIT.invokeExact(NO_ATEXIT, 0L);
            } catch (Throwable e) {
                throw failed("OPENSSL_init_crypto", e);
            }
            if (result != OK) {
                throw failed("OPENSSL_init_crypto", result);
            }
        }
    }

    /** Asked once. */
    private static final class Tried {
        static final @Nullable String WHY_NOT = told(whyNot());

        private static @Nullable String whyNot() {
            if (!System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux")) {
                return "there is none that belongs to the system";
            }
            try {
                LibcryptoTrial.pass();
                return null;
            } catch (IllegalStateException e) {
                return e.getMessage();
            } catch (LinkageError e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                return cause.getMessage();
            }
        }

        private static @Nullable String told(@Nullable String whyNot) {
            if (whyNot != null) {
                LOG.info("signatures are verified by the JDK, which takes longer: {}: {}", NAME, whyNot);
            }
            return whyNot;
        }
    }

    /** Why it can't be used here; null where it can. May take a tenth of a second the first time. */
    static @Nullable String whyNot() {
        return Tried.WHY_NOT;
    }

    /**
     * A key; null where it doesn't take it. It is given back when the segment isn't reachable any more.
     *
     * @param encoded as SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7)
     */
    @SuppressWarnings("restricted")
    static @Nullable MemorySegment key(byte[] encoded) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, encoded);
            MemorySegment next = arena.allocateFrom(ValueLayout.JAVA_LONG, bytes.address());
            long key = (long) Calls.KEY.invokeExact(0L, next.address(), (long) encoded.length);
            Calls.FORGET_ERRORS.invokeExact();
            return key == 0 ? null : MemorySegment.ofAddress(key).reinterpret(Arena.ofAuto(), Libcrypto::free);
        } catch (Throwable e) {
            throw failed("d2i_PUBKEY", e);
        }
    }

    private static void free(MemorySegment key) {
        try {
            Calls.KEY_FREE.invokeExact(key.address());
        } catch (Throwable e) {
            throw failed("EVP_PKEY_free", e);
        }
    }

    /**
     * Whether that is the signature of these bytes.
     *
     * @param arena for what the call takes
     * @param key the caller sees to it that it stays reachable
     * @throws IllegalStateException where there is no memory, or such signatures can't be verified with such a key here
     */
    static boolean verify(Arena arena, MemorySegment key, Algorithm algorithm, byte[] signed, byte[] signature) {
        MemorySegment what = arena.allocateFrom(ValueLayout.JAVA_BYTE, signed);
        MemorySegment by = arena.allocateFrom(ValueLayout.JAVA_BYTE, signature);
        MemorySegment parameters = arena.allocate(ValueLayout.JAVA_LONG);
        try {
            long context = (long) Calls.CONTEXT.invokeExact();
            if (context == 0) {
                throw failed("EVP_MD_CTX_new", 0);
            }
            try {
                begin(context, parameters, key, algorithm);
                return OK
                        == (int) Calls.VERIFY.invokeExact(
                                context, by.address(), by.byteSize(), what.address(), what.byteSize());
            } finally {
                Calls.CONTEXT_FREE.invokeExact(context);
                Calls.FORGET_ERRORS.invokeExact();
            }
        } catch (Throwable e) {
            throw failed("EVP_DigestVerify", e);
        }
    }

    private static void begin(long context, MemorySegment parameters, MemorySegment key, Algorithm algorithm)
            throws Throwable {
        int result = (int) Calls.BEGIN.invokeExact(context, parameters.address(), digest(algorithm), 0L, key.address());
        if (result == OK && algorithm.kind() == Kind.PSS) {
            long of = parameters.get(ValueLayout.JAVA_LONG, 0);
            result = (int) Calls.PADDING.invokeExact(of, PSS_PADDING);
            if (result == OK) {
                result = (int) Calls.SALT.invokeExact(of, algorithm.bytes());
            }
        }
        if (result != OK) {
            throw failed("EVP_DigestVerifyInit", result);
        }
    }

    /** Ed25519 and Ed448 have digests of their own. */
    private static long digest(Algorithm algorithm) {
        return switch (algorithm) {
            case RS256, PS256, ES256, ES256K -> Calls.SHA_256;
            case RS384, PS384, ES384 -> Calls.SHA_384;
            case RS512, PS512, ES512 -> Calls.SHA_512;
            case ED25519, ED448 -> 0;
            case HS256, HS384, HS512 -> throw new IllegalArgumentException(algorithm + " has no public key");
        };
    }

    private static IllegalStateException failed(String call, int result) {
        return new IllegalStateException(call + " gave " + result);
    }

    /** An error of the machine stays one. */
    private static IllegalStateException failed(String call, Throwable why) {
        return switch (why) {
            case Error error -> throw error;
            case IllegalStateException known -> known;
            default -> new IllegalStateException(call, why);
        };
    }
}
