package net.oooops.sigma.plugins.authentication.jwt;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.Terms;
import net.oooops.sigma.plugins.authentication.jose.Refusal;

/** How a request is refused. The log says why; the client is told no more than RFC 6750 section 3.1 has codes for. */
final class Refusals {
    private Refusals() {}

    /** The answers, by the ordinal of {@link Refusal}. */
    static List<Outcome> outcomes(PluginContext context, Terms terms) {
        String scheme = terms.credentials().scheme("Bearer");
        Field asked = Credentials.challenge(scheme, terms.realm(), "");
        Field invalid = Credentials.challenge(scheme, terms.realm(), ", error=\"invalid_token\"");
        List<Outcome> outcomes = new ArrayList<>();
        for (Refusal each : Refusal.values()) {
            outcomes.add(
                    switch (each) {
                        case NO_TOKEN ->
                            Terms.refusal(context.reason(each.reason()), 401, "A token is asked for.", asked);
                        case NO_KEYS ->
                            Terms.refusal(
                                    context.reason(each.reason()),
                                    503,
                                    "Tokens can't be verified now, try again later.",
                                    Field.of("Retry-After", "5"));
                        default ->
                            Terms.refusal(context.reason(each.reason()), 401, "That token isn't valid here.", invalid);
                    });
        }
        return List.copyOf(outcomes);
    }
}
