package net.oooops.sigma.plugins.authentication.oidc;

import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.Overload;
import net.oooops.sigma.plugins.authentication.Terms;

/**
 * What is answered in the place of what was asked for. None of it is to be kept by anybody on the way. Immutable.
 *
 * @param noSession to who isn't sent to log in
 * @param unfitCallback to who comes back with what no login of that browser has begun, or too late
 * @param unfitLogout to a logout that another site has begun, or no user
 * @param unfitLogoutMethod to one that is no GET and no POST
 * @param loginRefused to whom the provider doesn't let in
 * @param unfitToken where the provider gives a token that says what it must not
 * @param unavailable where the provider can't be asked
 * @param storeUnavailable where sessions lie elsewhere, and nobody answers there
 * @param sessionTooLarge where it has given more than a browser keeps
 */
record Answers(
        Outcome noSession,
        Outcome unfitCallback,
        Outcome unfitLogout,
        Outcome unfitLogoutMethod,
        Outcome loginRefused,
        Outcome unfitToken,
        Outcome unavailable,
        Outcome storeUnavailable,
        Outcome sessionTooLarge,
        Overload overload) {
    private static final Field NO_STORE = Field.of("Cache-Control", "no-store");

    static Answers of(PluginContext context, String realm, Url callback) {
        String again = " Go to " + callback.server() + "/ to begin anew.";
        return new Answers(
                Terms.refusal(
                        context.reason("no-session"),
                        401,
                        "Log in first.",
                        Credentials.challenge("Cookie", realm, ""),
                        NO_STORE),
                Terms.refusal(
                        context.reason("unfit-callback"),
                        400,
                        "This login was begun elsewhere, or too long ago." + again,
                        NO_STORE),
                Terms.refusal(
                        context.reason("unfit-logout"),
                        403,
                        "This logout was begun elsewhere. Go to " + callback.server() + "/ to log out.",
                        NO_STORE),
                Terms.refusal(
                        context.reason("unfit-logout"),
                        405,
                        "GET or POST logs out.",
                        Field.of("Allow", "GET, POST"),
                        NO_STORE),
                Terms.refusal(context.reason("login-refused"), 403, "The login was refused." + again, NO_STORE),
                Terms.refusal(
                        context.reason("unfit-token"), 502, "The provider's answer can't be used." + again, NO_STORE),
                Terms.refusal(
                        context.reason("provider-unavailable"),
                        503,
                        "Nobody can be logged in now, try again later.",
                        Field.of("Retry-After", "1"),
                        NO_STORE),
                Terms.refusal(
                        context.reason("store-unavailable"),
                        503,
                        "Nobody knows now who is logged in, try again later.",
                        Field.of("Retry-After", "1"),
                        NO_STORE),
                Terms.refusal(
                        context.reason("session-too-large"), 500, "The session is larger than can be kept.", NO_STORE),
                Overload.of(context));
    }

    /** Sends a browser elsewhere, with that cookie: no refusal, so no reason is told. */
    static Outcome redirect(int status, String location, Field cookie) {
        return Outcome.respond(
                Response.withBody(status, List.of(Field.of("Location", location), cookie, NO_STORE), new byte[0]));
    }

    /** What nobody is to keep. */
    static Field noStore() {
        return NO_STORE;
    }
}
