package net.oooops.sigma.plugins.authentication.jose;

/** Why a token is refused. */
public enum Refusal {
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

    /** It, as the access log and counters have it. */
    public String reason() {
        return reason;
    }
}
