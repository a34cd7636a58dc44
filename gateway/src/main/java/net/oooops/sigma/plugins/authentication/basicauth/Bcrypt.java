package net.oooops.sigma.plugins.authentication.basicauth;

import net.oooops.sigma.api.UnfitException;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;

/** bcrypt, which looks at the first 72 bytes of a password. */
record Bcrypt(String text) implements PasswordHash {
    private static final int CHARS = 60;
    private static final int COST_MIN = 4;
    /** Some seconds of a core. */
    private static final int COST_MAX = 14;

    private static final String ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    static Bcrypt of(String text) {
        boolean known = text.startsWith("$2y$") || text.startsWith("$2b$") || text.startsWith("$2a$");
        if (!known || text.length() != CHARS || text.charAt(6) != '$') {
            throw new UnfitException("bcrypt as $2y$, a cost of two digits, $ and 53 characters");
        }
        for (int i = 7; i < CHARS; i++) {
            if (ALPHABET.indexOf(text.charAt(i)) < 0) {
                throw new UnfitException("bcrypt with salt and hash of its own 64 characters");
            }
        }
        int cost = cost(text);
        if (cost < COST_MIN || cost > COST_MAX) {
            throw new UnfitException("bcrypt with a cost of " + COST_MIN + " to " + COST_MAX
                    + ", each of which takes twice as long as the one before; 10 to 12 are usual");
        }
        return new Bcrypt(text);
    }

    private static int cost(String text) {
        int tens = text.charAt(4) - '0';
        int ones = text.charAt(5) - '0';
        return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
    }

    @Override
    public boolean matches(byte[] password) {
        return OpenBSDBCrypt.checkPassword(text, password);
    }

    /** Nothing of it. */
    @Override
    public String toString() {
        return "(bcrypt)";
    }
}
