package net.oooops.sigma.tls;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What of a client's hello (RFC 8446 section 4.1.2) says where it wants to go.
 *
 * @param host that it asks for (SNI, RFC 6066 section 3), in lower case; null where it asks for none
 * @param protocols that it would speak (ALPN, RFC 7301 section 3.1), as it prefers them
 */
public record ClientHello(@Nullable String host, List<String> protocols) {
    private static final int CLIENT_HELLO = 1;
    private static final int VERSION_AND_RANDOM = 2 + 32;
    private static final int SERVER_NAME = 0;
    private static final int HOST_NAME = 0;
    private static final int PROTOCOLS = 16;
    private static final int HOST_CHARS_MAX = 255;

    public ClientHello {
        protocols = List.copyOf(protocols);
    }

    /** Not what the standard has. */
    private static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        private Malformed() {
            super("malformed", null, false, false);
        }
    }

    /**
     * Reads one that is whole.
     *
     * @param in begins with it, in one record or several; isn't moved
     * @return null where it isn't as it has to be
     */
    static @Nullable ClientHello of(ByteBuf in) {
        byte[] message = Hello.message(in);
        try {
            return message == null ? null : read(ByteBuffer.wrap(message));
        } catch (Malformed e) {
            return null;
        }
    }

    private static ClientHello read(ByteBuffer in) throws Malformed {
        if (number(in, 1) != CLIENT_HELLO || number(in, 3) != in.remaining()) {
            throw new Malformed();
        }
        part(in, VERSION_AND_RANDOM);
        // The session, the suites, the methods of compression.
        vector(in, 1);
        vector(in, 2);
        vector(in, 1);
        if (!in.hasRemaining()) {
            return new ClientHello(null, List.of());
        }
        ByteBuffer extensions = vector(in, 2);
        if (in.hasRemaining()) {
            throw new Malformed();
        }
        String host = null;
        List<String> protocols = List.of();
        Set<Integer> seen = new HashSet<>();
        while (extensions.hasRemaining()) {
            int type = number(extensions, 2);
            ByteBuffer extension = vector(extensions, 2);
            if (!seen.add(type)) {
                throw new Malformed();
            }
            if (type == SERVER_NAME) {
                host = host(extension);
            } else if (type == PROTOCOLS) {
                protocols = protocols(extension);
            }
        }
        return new ClientHello(host, protocols);
    }

    private static String host(ByteBuffer extension) throws Malformed {
        ByteBuffer names = onlyVector(extension);
        int kind = number(names, 1);
        ByteBuffer name = vector(names, 2);
        // There is one kind, and no two names of a kind.
        if (kind != HOST_NAME || names.hasRemaining() || !name.hasRemaining() || name.remaining() > HOST_CHARS_MAX) {
            throw new Malformed();
        }
        for (int i = name.position(); i < name.limit(); i++) {
            if (name.get(i) <= ' ' || name.get(i) == 0x7F) {
                throw new Malformed();
            }
        }
        return StandardCharsets.US_ASCII.decode(name).toString().toLowerCase(Locale.ROOT);
    }

    private static List<String> protocols(ByteBuffer extension) throws Malformed {
        ByteBuffer names = onlyVector(extension);
        List<String> protocols = new ArrayList<>();
        while (names.hasRemaining()) {
            ByteBuffer name = vector(names, 1);
            if (!name.hasRemaining()) {
                throw new Malformed();
            }
            protocols.add(StandardCharsets.ISO_8859_1.decode(name).toString());
        }
        if (protocols.isEmpty()) {
            throw new Malformed();
        }
        return protocols;
    }

    private static ByteBuffer onlyVector(ByteBuffer in) throws Malformed {
        ByteBuffer vector = vector(in, 2);
        if (in.hasRemaining()) {
            throw new Malformed();
        }
        return vector;
    }

    /** What comes after its own length, which is a number of so many bytes. */
    private static ByteBuffer vector(ByteBuffer in, int bytesOfLength) throws Malformed {
        return part(in, number(in, bytesOfLength));
    }

    private static int number(ByteBuffer in, int bytes) throws Malformed {
        ByteBuffer digits = part(in, bytes);
        int number = 0;
        while (digits.hasRemaining()) {
            number = number << 8 | Byte.toUnsignedInt(digits.get());
        }
        return number;
    }

    private static ByteBuffer part(ByteBuffer in, int bytes) throws Malformed {
        if (in.remaining() < bytes) {
            throw new Malformed();
        }
        ByteBuffer part = in.slice(in.position(), bytes);
        in.position(in.position() + bytes);
        return part;
    }
}
