package net.oooops.sigma.plugins.authentication;

import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import org.jspecify.annotations.Nullable;

/**
 * How requests are turned away whose credentials can't be verified now. Immutable.
 *
 * @param busy since all together have too much under way
 * @param clientBusy since that client has
 */
public record Overload(Outcome busy, Outcome clientBusy) {
    /** With 503 for the reason {@code busy}, and 429 for {@code client-busy}. */
    public static Overload of(PluginContext context) {
        Field later = Field.of("Retry-After", "1");
        String text = "Too much is going on, try again later.";
        return new Overload(
                Terms.refusal(context.reason("busy"), 503, text, later),
                Terms.refusal(context.reason("client-busy"), 429, text, later));
    }

    /** The answer to what wasn't let in; null for what was. */
    public @Nullable Outcome refusal(BoundedWork.Admission admission) {
        return switch (admission) {
            case ADMITTED -> null;
            case BUSY -> busy;
            case CLIENT_BUSY -> clientBusy;
        };
    }
}
