package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.http.HttpRequestHead;
import org.jspecify.annotations.Nullable;

/** How many more times an OPTIONS request may be forwarded, where it says so (RFC 9110 section 7.6.2). */
final class MaxForwards {
    private static final Ascii OPTIONS = Ascii.of("OPTIONS");
    private static final FieldName NAME = FieldName.of("Max-Forwards");
    private static final int DIGITS_MAX = 9;

    private MaxForwards() {}

    /** Counts this gateway. Whether the request may go on; where not, it is to be answered here. */
    static boolean allow(HttpRequestHead request) {
        if (!request.isSentAs(OPTIONS)) {
            return true;
        }
        String value = request.value(NAME);
        if (!isNumber(value)) {
            return true;
        }
        int left = Integer.parseInt(value);
        if (left > 0) {
            request.set(Field.of(NAME, Integer.toString(left - 1)));
        }
        return left > 0;
    }

    private static boolean isNumber(@Nullable String value) {
        return value != null
                && !value.isEmpty()
                && value.length() <= DIGITS_MAX
                && value.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
