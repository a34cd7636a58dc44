package net.oooops.sigma.plugins.bodylimit;

import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.RequestHead;

/**
 * Refuses requests whose body is too large: by the length that they name, or, where they name none, once more has come. Allocates where there is a
 * body.
 *
 * @param bytesMax the largest body
 * @param whole whether nothing goes on before a body is there; then {@code bytesMax} is of that as well
 * @param tooLarge what those get that name a larger one
 */
record BodyLimit(long bytesMax, boolean whole, Outcome tooLarge) implements Plugin {
    private static final FieldName CONTENT_LENGTH = FieldName.of("Content-Length");
    /** More digits than any body has bytes. */
    private static final int DIGITS_MAX = 18;

    @Override
    public Needs needs() {
        return whole ? Needs.REQUEST.withRequestBody(BodyNeed.whole((int) bytesMax)) : Needs.REQUEST;
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        RequestHead request = exchange.request();
        if (!request.hasBody()) {
            return Outcome.CONTINUE;
        }
        String length = request.value(CONTENT_LENGTH);
        if (length != null) {
            return isWithin(length) ? Outcome.CONTINUE : tooLarge;
        }
        if (!whole) {
            exchange.transformRequestBody(new CountedBody(bytesMax));
        }
        return Outcome.CONTINUE;
    }

    /** It was read before: nothing but digits. */
    private boolean isWithin(String length) {
        return length.length() <= DIGITS_MAX && Long.parseLong(length) <= bytesMax;
    }
}
