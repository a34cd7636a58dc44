package net.oooops.sigma.plugins.authentication.oidc;

import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Whether a logout is what the user of a browser wants: OpenID Connect RP-Initiated Logout 1.0 says nothing of how an application is asked for one, but that
 * one which others begin is a way to deny a user what he uses (section 6). What browsers say of a request counts (W3C Fetch Metadata, the field Origin of RFC
 * 6454); what doesn't say whence it comes passes. Immutable.
 *
 * @param server scheme, host and port of the application's own pages
 */
record LogoutCheck(String server) {
    private static final FieldName SITE = FieldName.of("Sec-Fetch-Site");
    private static final FieldName MODE = FieldName.of("Sec-Fetch-Mode");
    private static final FieldName PURPOSE = FieldName.of("Sec-Purpose");
    private static final FieldName SENT_FROM = FieldName.of("Origin");

    /** The answer to one that isn't; null where it may be. */
    @Nullable Outcome refusal(RequestHead request, Answers answers) {
        boolean get = request.method().equals("GET");
        if (!get && !request.method().equals("POST")) {
            return answers.unfitLogoutMethod();
        }
        String purpose = request.value(PURPOSE);
        boolean ahead = purpose != null && purpose.startsWith("prefetch");
        return ahead || !isOfThisSite(request) || (get && !isNavigation(request)) ? answers.unfitLogout() : null;
    }

    private boolean isOfThisSite(RequestHead request) {
        String site = request.value(SITE);
        if (site != null) {
            return !site.equals("cross-site");
        }
        String from = request.value(SENT_FROM);
        return from == null || from.equalsIgnoreCase(server);
    }

    /** What a page merely shows, such as a picture that a user has put there, isn't gone to. */
    private static boolean isNavigation(RequestHead request) {
        String mode = request.value(MODE);
        return mode == null || mode.equals("navigate");
    }
}
