package net.oooops.sigma.route;

import java.util.regex.Pattern;

/**
 * Matches a regular expression of the configuration against a text of the client, in a number of steps that is linear in the
 * text: an expression that backtracks beyond it counts as not matching. Any thread.
 */
final class BoundedMatch {
    /** More reads of each character than sane expressions need. */
    private static final int READS_PER_CHARACTER_MAX = 64;

    private static final int READS_MIN = 1024;

    private BoundedMatch() {}

    /** Whether all of {@code text} matches. */
    static boolean matches(Pattern pattern, String text) {
        try {
            return pattern.matcher(new CountedText(text)).matches();
        } catch (TooManyReads | StackOverflowError e) {
            // The JDK's matcher recurses for each repetition of a group: a long text may exhaust the stack first.
            return false;
        }
    }

    private static final class CountedText implements CharSequence {
        private final String text;
        private long readsLeft;

        CountedText(String text) {
            this.text = text;
            this.readsLeft = READS_MIN + (long) text.length() * READS_PER_CHARACTER_MAX;
        }

        @Override
        public char charAt(int index) {
            if (readsLeft-- == 0) {
                throw new TooManyReads();
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
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

    /** Without stack trace: it only carries the way out of the matcher. */
    private static final class TooManyReads extends RuntimeException {
        private static final long serialVersionUID = 1;

        private TooManyReads() {
            super("too many steps", null, false, false);
        }
    }
}
