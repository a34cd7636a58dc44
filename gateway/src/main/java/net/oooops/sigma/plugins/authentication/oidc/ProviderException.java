package net.oooops.sigma.plugins.authentication.oidc;

/** The provider didn't give what it was asked for. */
final class ProviderException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Why. */
    enum Kind {
        /** It can't be asked, or fails, or answers what can't be used; or Sigma is no client of its. */
        UNAVAILABLE,
        /** It refuses what the user has: a code, or a session that is over there. */
        REFUSED,
        /** Its token says what it must not. */
        UNFIT_TOKEN
    }

    private final Kind kind;

    ProviderException(Kind kind, String why) {
        super(why, null, false, false);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    static ProviderException unavailable(String why) {
        return new ProviderException(Kind.UNAVAILABLE, why);
    }
}
