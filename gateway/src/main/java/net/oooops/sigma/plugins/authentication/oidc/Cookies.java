package net.oooops.sigma.plugins.authentication.oidc;

import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.jose.Token.Base64Url;
import org.jspecify.annotations.Nullable;

/**
 * The two cookies that a browser keeps: its session, and what ties a login to it. Scripts don't see them, other sites don't send them, and over TLS no other
 * host and no plain connection sets them ({@code __Host-}, RFC 6265bis section 4.1.3.2). Immutable.
 */
final class Cookies {
    /** What browsers keep of a cookie at least, its name and attributes included (RFC 6265 section 6.1). */
    static final int CHARS_MAX = 4096;

    private static final FieldName SET_COOKIE = FieldName.of("Set-Cookie");
    private static final int BROWSER_BYTES = 16;
    private static final int BROWSER_CHARS = 22;

    private final String session;
    private final String login;
    private final Credentials sessionPlace;
    private final Credentials loginPlace;
    private final String attributes;

    /** @param secure whether they are for TLS alone */
    Cookies(String name, boolean secure) {
        this.session = (secure ? "__Host-" : "") + name;
        this.login = session + "-login";
        this.sessionPlace = Credentials.inCookie(session);
        this.loginPlace = Credentials.inCookie(login);
        this.attributes = "; Path=/; HttpOnly; SameSite=Lax" + (secure ? "; Secure" : "");
    }

    /** What the session's is called. */
    String name() {
        return session;
    }

    /** The session, sealed; null where there is none, empty where there are several. */
    @Nullable String session(RequestHead request) {
        return sessionPlace.read(request);
    }

    /** Takes both out of what nodes get. */
    void hide(RequestHead request) {
        sessionPlace.hide(request);
        loginPlace.hide(request);
    }

    Field setSession(String sealed, long seconds) {
        return Field.of(SET_COOKIE, line(session, sealed, seconds));
    }

    /** Whether browsers keep that. */
    static boolean fits(Field cookie) {
        return cookie.value().length() <= CHARS_MAX;
    }

    Field endSession() {
        return Field.of(SET_COOKIE, line(session, "", 0));
    }

    private String line(String name, String value, long seconds) {
        return name + "=" + value + "; Max-Age=" + seconds + attributes;
    }

    /** What this browser is known by in a login; another where it isn't known. */
    String browser(RequestHead request) {
        String known = knownBrowser(request);
        return known == null ? Sealer.text(Sealer.random(BROWSER_BYTES)) : known;
    }

    /** The same; null where it isn't known. */
    @Nullable String knownBrowser(RequestHead request) {
        String value = loginPlace.read(request);
        return value != null && value.length() == BROWSER_CHARS && Base64Url.decoded(value) != null ? value : null;
    }

    Field setBrowser(String browser, long seconds) {
        return Field.of(SET_COOKIE, line(login, browser, seconds));
    }
}
