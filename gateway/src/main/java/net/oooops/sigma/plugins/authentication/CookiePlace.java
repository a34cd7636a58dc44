package net.oooops.sigma.plugins.authentication;

import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** A cookie (RFC 6265 section 4.2), in one field or, with HTTP/2, in several. */
record CookiePlace(String name) implements CredentialPlace {
    private static final FieldName COOKIE = FieldName.of("Cookie");

    @Override
    public @Nullable String read(RequestHead head) {
        if (!head.has(COOKIE)) {
            return null;
        }
        String found = null;
        for (String field : head.values(COOKIE)) {
            for (String pair : field.split(";", -1)) {
                String value = valueOf(pair);
                if (value != null && found != null) {
                    return UNREADABLE;
                }
                found = value == null ? found : value;
            }
        }
        return found;
    }

    /** The other cookies stay, in one field. */
    @Override
    public void hide(RequestHead head) {
        if (read(head) == null) {
            return;
        }
        StringBuilder left = new StringBuilder();
        for (String field : head.values(COOKIE)) {
            for (String pair : field.split(";", -1)) {
                String cookie = pair.strip();
                if (!cookie.isEmpty() && valueOf(cookie) == null) {
                    left.append(left.isEmpty() ? "" : "; ").append(cookie);
                }
            }
        }
        if (left.isEmpty()) {
            head.remove(COOKIE);
        } else {
            head.set(Field.of(COOKIE, left.toString()));
        }
    }

    private @Nullable String valueOf(String pair) {
        String cookie = pair.strip();
        int equals = cookie.indexOf('=');
        if (equals < 0 || !cookie.substring(0, equals).strip().equals(name)) {
            return null;
        }
        String value = cookie.substring(equals + 1).strip();
        boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
