package net.oooops.sigma.plugins.authentication.jose;

import java.util.ArrayList;
import java.util.List;

/** The keys that tokens are verified with. Immutable. */
public record KeySet(List<VerificationKey> keys) {
    /** How many there may be; for a token that doesn't say by which it is signed, all that are fit are tried. */
    public static final int COUNT_MAX = 100;

    /** How many an event loop tries. */
    private static final int TRIED_AT_ONCE_MAX = 2;

    /** What comes of a token. */
    public enum Verdict {
        VERIFIED,
        /** None is called as the token says, and of those without a name none is it. */
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
        Verdict verdict = Verdict.UNFIT_ALGORITHM;
        for (VerificationKey key : named(token)) {
            if (key.algorithms().contains(token.algorithm())) {
                if (token.isSignedWith(key.verifier())) {
                    return Verdict.VERIFIED;
                }
                verdict = Verdict.BAD_SIGNATURE;
            }
        }
        return knows(token) ? verdict : Verdict.UNKNOWN_KEY;
    }

    /** Whether it may be by one of these keys: one that names another may be by one that isn't here yet. */
    private boolean knows(Token token) {
        String id = token.keyId();
        if (id == null) {
            return !keys.isEmpty();
        }
        for (VerificationKey key : keys) {
            if (id.equals(key.id())) {
                return true;
            }
        }
        return false;
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
