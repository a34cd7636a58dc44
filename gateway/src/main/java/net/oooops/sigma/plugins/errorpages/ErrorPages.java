package net.oooops.sigma.plugins.errorpages;

import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import org.jspecify.annotations.Nullable;

/**
 * Gives answers that tell of an error a body of its own. Where several stand on a way, the innermost that has a page for an answer gives it.
 *
 * <p>An answer without a page costs a look into an array, and allocates nothing.
 */
final class ErrorPages implements Plugin {
    /** The least status that there may be a page for. */
    static final int STATUS_MIN = 400;

    /** The greatest, and one. */
    static final int STATUS_END = 600;

    private static final FieldName CONTENT_TYPE = FieldName.of("Content-Type");
    private static final String GRPC = "application/grpc";

    /** What one further in has given. */
    private record Given(int status, @Nullable Fault fault) {}

    private static final Key<Given> GIVEN = Key.of(Given.class, "error-page");

    private final @Nullable Page[] pages;
    private final boolean intercept;

    /**
     * @param pages by status, from {@value #STATUS_MIN} on
     * @param intercept whether nodes' answers get them, too
     */
    ErrorPages(@Nullable Page[] pages, boolean intercept) {
        this.pages = pages;
        this.intercept = intercept;
    }

    @Override
    public Needs needs() {
        return Needs.RESPONSE;
    }

    @Override
    public Outcome onResponse(Exchange exchange) {
        int status = exchange.response().status();
        Page page = status < STATUS_MIN || status >= STATUS_END ? null : pages[status - STATUS_MIN];
        if (page == null || (!intercept && exchange.isAnsweredByNode()) || isOfGrpc(exchange)) {
            return Outcome.CONTINUE;
        }
        Given given = exchange.value(GIVEN);
        if (given != null && given.status == status && given.fault == exchange.fault()) {
            return Outcome.CONTINUE;
        }
        Outcome.Respond answer = new Outcome.Respond(page.inPlaceOf(exchange.response()));
        exchange.value(GIVEN, new Given(answer.response().status(), exchange.fault()));
        return answer;
    }

    /** Its clients read fields and messages; a page would be neither. */
    private static boolean isOfGrpc(Exchange exchange) {
        return isOfGrpc(exchange.request().value(CONTENT_TYPE))
                || isOfGrpc(exchange.response().value(CONTENT_TYPE));
    }

    private static boolean isOfGrpc(@Nullable String type) {
        return type != null && type.regionMatches(true, 0, GRPC, 0, GRPC.length());
    }
}
