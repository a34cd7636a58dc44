package net.oooops.sigma.plugins.authentication.basicauth;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.Executor;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.UnfitException;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/** Argon2id (RFC 9106), in the form of the PHC's strings. */
final class Argon2id implements PasswordHash {
    private static final Pattern FORM =
            Pattern.compile("\\$argon2id\\$v=19\\$m=(?<memory>[1-9][0-9]{0,6}),t=(?<passes>[1-9][0-9]?)"
                    + ",p=(?<lanes>[1-9][0-9]?)\\$(?<salt>[A-Za-z0-9+/]{11,86})\\$(?<hash>[A-Za-z0-9+/]{22,86})");

    /** The second choice of RFC 9106; twice of what OWASP asks for is less. It is taken of the heap, for each password that is being hashed. */
    static final int MEMORY_KIB_MAX = 65_536;

    private static final int PASSES_MAX = 10;
    private static final int LANES_MAX = 8;

    private final String text;
    private final Argon2Parameters parameters;
    private final byte[] hash;

    private Argon2id(String text, Argon2Parameters parameters, byte[] hash) {
        this.text = text;
        this.parameters = parameters;
        this.hash = hash;
    }

    static Argon2id of(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new UnfitException(
                    "Argon2id as $argon2id$v=19$m=19456,t=2,p=1$, the salt, $ and the hash, both in base64");
        }
        int memoryKib = Integer.parseInt(parts.group("memory"));
        int passes = Integer.parseInt(parts.group("passes"));
        int lanes = Integer.parseInt(parts.group("lanes"));
        if (memoryKib > MEMORY_KIB_MAX || memoryKib < 8 * lanes || passes > PASSES_MAX || lanes > LANES_MAX) {
            throw new UnfitException("Argon2id with m of 8 times p to " + MEMORY_KIB_MAX + ", t of 1 to " + PASSES_MAX
                    + " and p of 1 to " + LANES_MAX + "; m=19456,t=2,p=1 is usual");
        }
        try {
            Argon2Parameters parameters = new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                    .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                    .withMemoryAsKB(memoryKib)
                    .withIterations(passes)
                    .withParallelism(lanes)
                    .withSalt(Base64.getDecoder().decode(parts.group("salt")))
                    .build();
            return new Argon2id(text, parameters, Base64.getDecoder().decode(parts.group("hash")));
        } catch (IllegalArgumentException e) {
            throw new UnfitException("Argon2id with salt and hash in base64");
        }
    }

    @Override
    public Executor threads() {
        return Hashing.IN_MEMORY;
    }

    @Override
    public boolean matches(byte[] password) {
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(parameters);
        byte[] found = new byte[hash.length];
        generator.generateBytes(password, found);
        return MessageDigest.isEqual(found, hash);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Argon2id that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
