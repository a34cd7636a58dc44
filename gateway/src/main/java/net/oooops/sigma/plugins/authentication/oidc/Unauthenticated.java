package net.oooops.sigma.plugins.authentication.oidc;

import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;

/** What becomes of a request without a session. */
enum Unauthenticated {
    /** A browser that goes to a page is sent to log in; others, such as scripts, get 401. */
    AUTO,
    /** It is sent to log in. */
    LOGIN,
    /** It gets 401. */
    REFUSE,
    /** It passes, without a consumer. */
    PASS;

    private static final FieldName FETCH_MODE = FieldName.of("Sec-Fetch-Mode");
    private static final FieldName ACCEPT = FieldName.of("Accept");

    /** Whether that request is sent to log in: only where what it asks for can be asked for again afterwards. */
    boolean logsIn(RequestHead request) {
        String method = request.method();
        boolean again = method.equals("GET") || method.equals("HEAD");
        return again && (this == LOGIN || (this == AUTO && isNavigation(request)));
    }

    /** Whether a browser goes to a page with it, as it says itself (Fetch Metadata), or else by its wanting HTML. */
    private static boolean isNavigation(RequestHead request) {
        String mode = request.value(FETCH_MODE);
        if (mode != null) {
            return mode.equals("navigate");
        }
        String accepted = request.value(ACCEPT);
        return accepted != null && accepted.contains("text/html");
    }
}
