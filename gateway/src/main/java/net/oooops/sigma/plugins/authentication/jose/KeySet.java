package net.oooops.sigma.plugins.authentication.jose;

import java.util.ArrayList;
import java.util.List;

/** The keys that tokens are verified with. Immutable. */
public record KeySet(List<VerificationKey> keys) {
    /** How many there may be. */
    public static final int COUNT_MAX = 100;

    /** How many are tried for a token that doesn't say by which it is signed. */
    private static final int TRIED_MAX = 8;

    /** How many an event loop tries. */
    private static final int TRIED_AT_ONCE_MAX = 2;

    /** What comes of a token. */
    public enum Verdict {
        VERIFIED,
        UNKNOWN_KEY,
        UNFIT_ALGORITHM,
        BAD_SIGNATURE
    }

    public KeySet {
        keys = List.copyOf(keys);
    }

    /** These and those. */
    public KeySet with(KeySet others) {
        List<VerificationKey> all = new ArrayList<>(keys);
        all.addAll(others.keys);
        return new KeySet(all);
    }

    /** Whether verifying that token takes longer than an event loop should. */
    public boolean takesLong(Token token) {
        int fit = 0;
        for (VerificationKey key : named(token)) {
            if (key.algorithms().contains(token.algorithm())) {
                fit++;
                if (fit > TRIED_AT_ONCE_MAX || key.verifier().takesLong(token.algorithm())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What comes of a token. Takes up to some milliseconds where that takes long. */
    public Verdict verify(Token token) {
        List<VerificationKey> named = named(token);
        if (named.isEmpty()) {
            return Verdict.UNKNOWN_KEY;
        }
        Verdict verdict = Verdict.UNFIT_ALGORITHM;
        int tried = 0;
        for (VerificationKey key : named) {
            if (tried < TRIED_MAX && key.algorithms().contains(token.algorithm())) {
                if (token.isSignedWith(key.verifier())) {
                    return Verdict.VERIFIED;
                }
                verdict = Verdict.BAD_SIGNATURE;
                tried++;
            }
        }
        return verdict;
    }

    /** All keys for a token without {@code kid}; else those with it, or where there are none, those that have none themselves. */
    private List<VerificationKey> named(Token token) {
        String id = token.keyId();
        if (id == null) {
            return keys;
        }
        List<VerificationKey> same = new ArrayList<>(1);
        List<VerificationKey> nameless = new ArrayList<>(0);
        for (VerificationKey key : keys) {
            if (key.id() == null) {
                nameless.add(key);
            } else if (key.id().equals(id)) {
                same.add(key);
            }
        }
        return same.isEmpty() ? nameless : same;
    }
}
