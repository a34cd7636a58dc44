package net.oooops.sigma.plugin.condition;

import dev.cel.runtime.CelEvaluationException;
import java.util.Locale;

/**
 * Whether a condition holds can't be said. The message tells where and of which kind the fault is, and nothing of what a client sent: what is in a field
 * may be a secret.
 */
public final class UndecidedException extends Exception {
    private static final long serialVersionUID = 1L;

    private static final String PLACE = "<input>:";

    UndecidedException(CelEvaluationException cause) {
        // No stack, and not the cause: a client can make it as often as it likes.
        super(text(cause), null, false, false);
    }

    UndecidedException(StackOverflowError cause) {
        super("too deep", null, false, false);
    }

    private static String text(CelEvaluationException cause) {
        String message = String.valueOf(cause.getMessage());
        String kind = cause.getErrorCode().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        int from = message.indexOf(PLACE);
        int begin = from + PLACE.length();
        int end = from < 0 ? -1 : begin;
        while (end >= 0 && end < message.length() && Character.isDigit(message.charAt(end))) {
            end++;
        }
        return end > begin ? "character " + (Integer.parseInt(message.substring(begin, end)) + 1) + ": " + kind : kind;
    }
}
