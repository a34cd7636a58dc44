package net.oooops.sigma.config;

/** Classes of characters, without the regular expressions and streams that would cost time at start. */
final class Chars {

    private Chars() {}

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isAlphanumeric(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c);
    }

    /** Whether there is text, all of it ASCII letters, digits, and the marks given. */
    static boolean areAlphanumericOr(String marks, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isAlphanumeric(c) && marks.indexOf(c) < 0) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** Whether there is text, all of it ASCII digits. */
    static boolean areDigits(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** Whether all characters are in this range. */
    static boolean areWithin(char least, char most, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < least || text.charAt(i) > most) {
                return false;
            }
        }
        return true;
    }
}
