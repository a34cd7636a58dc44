package net.oooops.sigma.plugins.authentication;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/** Where a plugin looks for the credentials of a request: one place or several. Immutable. */
public final class Credentials {
    /** The schema of what {@link #of} reads, with {@code %s} for the default. */
    public static final String SCHEMA = """
            {
              "title": "from",
              "description": "Where credentials stand, of which the first place that has some counts: `field`, a field of its own; `authorization`, the field Authorization with that scheme; `cookie`; `query`, a parameter of the query, which ends in logs, here and elsewhere. Twice in one place they can't be read.",
              "type": "array",
              "minItems": 1,
              "maxItems": 8,
              "uniqueItems": true,
              "default": %s,
              "items": {
                "title": "a place",
                "description": "One place.",
                "type": "object",
                "additionalProperties": false,
                "minProperties": 1,
                "maxProperties": 1,
                "properties": {
                  "field": { "title": "field", "description": "The name of a field.", "type": "string", "minLength": 1, "maxLength": 64 },
                  "authorization": { "title": "authorization", "description": "A scheme of the field Authorization.", "type": "string", "minLength": 1, "maxLength": 64 },
                  "cookie": { "title": "cookie", "description": "The name of a cookie.", "type": "string", "minLength": 1, "maxLength": 64 },
                  "query": { "title": "query", "description": "The name of a parameter.", "type": "string", "minLength": 1, "maxLength": 64 }
                }
              }
            }""";

    private final CredentialPlace[] places;

    private Credentials(List<CredentialPlace> places) {
        this.places = places.toArray(CredentialPlace[]::new);
    }

    /** Those in a field of that name. */
    public static Credentials inField(String name) {
        return new Credentials(List.of(new FieldPlace(FieldName.of(name))));
    }

    /** Those in the field Authorization with that scheme. */
    public static Credentials inAuthorization(String scheme) {
        return new Credentials(List.of(new AuthorizationPlace(scheme)));
    }

    /** Those in a cookie of that name. */
    public static Credentials inCookie(String name) {
        return new Credentials(List.of(new CookiePlace(CookieName.of(name))));
    }

    /** Those that settings of that schema name, or {@code absent} where there are none. */
    public static Credentials of(Settings list, Credentials absent) {
        if (!list.isPresent()) {
            return absent;
        }
        List<CredentialPlace> places = new ArrayList<>();
        for (Settings element : list.elements()) {
            List<String> keys = element.keys();
            if (keys.size() != 1) {
                throw element.unexpected("one of field, authorization, cookie and query");
            }
            places.add(place(keys.getFirst(), element.get(keys.getFirst())));
        }
        return new Credentials(places);
    }

    private static CredentialPlace place(String kind, Settings name) {
        String text = name.string();
        if (!FieldName.isToken(text)) {
            throw name.unexpected("a name of letters, digits and !#$%&'*+-.^_`|~");
        }
        return switch (kind) {
            case "authorization" -> new AuthorizationPlace(text);
            case "cookie" -> new CookiePlace(CookieName.of(text));
            case "query" -> query(name, text);
            default -> new FieldPlace(field(name, text));
        };
    }

    private static CredentialPlace query(Settings name, String text) {
        if (text.indexOf('&') >= 0 || text.indexOf('%') >= 0) {
            throw name.unexpected("a name as it is before percent-encoding, without & and %");
        }
        return new QueryPlace(text);
    }

    private static FieldName field(Settings name, String text) {
        FieldName field = FieldName.of(text);
        if (field.isOfTheConnection() || text.equalsIgnoreCase("Authorization") || text.equalsIgnoreCase("Cookie")) {
            throw name.unexpected("a field of its own; Authorization and Cookie are places by themselves");
        }
        return field;
    }

    /** The credential, null where there is none; empty where there is one that can't be read. */
    public @Nullable String read(RequestHead head) {
        for (CredentialPlace place : places) {
            String found = place.read(head);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Takes credentials out of all places. */
    public void hide(RequestHead head) {
        for (CredentialPlace place : places) {
            place.hide(head);
        }
    }

    /** The scheme of the first place that has one, else {@code absent}: what a challenge asks for. */
    public String scheme(String absent) {
        for (CredentialPlace place : places) {
            if (place instanceof AuthorizationPlace authorization) {
                return authorization.scheme();
            }
        }
        return absent;
    }

    /** The challenge (RFC 9110 section 11.6.1) of that scheme and realm. */
    public static Field challenge(String scheme, String realm, String parameters) {
        String quoted = realm.replace("\\", "\\\\").replace("\"", "\\\"");
        return Field.of("WWW-Authenticate", scheme + " realm=\"" + quoted + "\"" + parameters);
    }
}
