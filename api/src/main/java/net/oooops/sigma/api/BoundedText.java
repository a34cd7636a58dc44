package net.oooops.sigma.api;

import java.util.regex.Matcher;

/**
 * A text that the matcher of a regular expression may read a limited number of times: one that backtracks without end is stopped by an {@link
 * ExhaustedException}. One that recurses too deep is stopped by a {@link StackOverflowError}, which whoever matches has to expect, too, unless by
 * {@link #find}. For one match.
 */
public final class BoundedText implements CharSequence {
    /** How many characters may be read: some milliseconds; an ordinary match reads each character a few times. */
    public static final int READS_MAX = 1_000_000;

    /** Thrown from within the match; without a stack trace, as a client may have it thrown as often as it likes. */
    public static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ExhaustedException(String limit) {
            super(limit, null, false, false);
        }
    }

    private final String text;
    private int readsLeft = READS_MAX;

    /** For one match in that text. */
    public BoundedText(String text) {
        this.text = text;
    }

    /**
     * Whether its matcher finds a match.
     *
     * @param match of a text like this
     * @throws ExhaustedException where it reads too much, or recurses too deep
     */
    public static boolean find(Matcher match) {
        try {
            return match.find();
        } catch (StackOverflowError e) {
            // It is the matcher's own recursion: nothing else was touched, so whoever matches goes on.
            throw new ExhaustedException("stack overflow");
        }
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        if (--readsLeft < 0) {
            throw new ExhaustedException("more than " + READS_MAX + " characters read");
        }
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
