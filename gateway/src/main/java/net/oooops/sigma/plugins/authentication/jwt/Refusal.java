package net.oooops.sigma.plugins.authentication.jwt;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.Terms;

/** Why a request is refused. The log says so; the client is told no more than RFC 6750 section 3.1 has codes for. */
enum Refusal {
    NO_TOKEN("no-token"),
    MALFORMED("malformed-token"),
    UNFIT_ALGORITHM("unfit-algorithm"),
    UNFIT_TYPE("unfit-type"),
    UNKNOWN_KEY("unknown-key"),
    BAD_SIGNATURE("bad-signature"),
    EXPIRED("expired"),
    NOT_YET("not-yet-valid"),
    WRONG_ISSUER("wrong-issuer"),
    WRONG_AUDIENCE("wrong-audience"),
    MISSING_CLAIM("missing-claim"),
    UNFIT_CONSUMER("unfit-consumer"),
    NO_KEYS("keys-unavailable");

    private final String reason;

    Refusal(String reason) {
        this.reason = reason;
    }

    /** The answers, by {@link #ordinal}. */
    static List<Outcome> outcomes(PluginContext context, Terms terms) {
        String scheme = terms.credentials().scheme("Bearer");
        Field asked = Credentials.challenge(scheme, terms.realm(), "");
        Field invalid = Credentials.challenge(scheme, terms.realm(), ", error=\"invalid_token\"");
        List<Outcome> outcomes = new ArrayList<>();
        for (Refusal each : values()) {
            outcomes.add(
                    switch (each) {
                        case NO_TOKEN ->
                            Terms.refusal(context.reason(each.reason), 401, "A token is asked for.", asked);
                        case NO_KEYS ->
                            Terms.refusal(
                                    context.reason(each.reason),
                                    503,
                                    "Tokens can't be verified now, try again later.",
                                    Field.of("Retry-After", "5"));
                        default ->
                            Terms.refusal(context.reason(each.reason), 401, "That token isn't valid here.", invalid);
                    });
        }
        return List.copyOf(outcomes);
    }
}
