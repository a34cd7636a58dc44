package net.oooops.sigma.plugins.authentication;

import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Settings;

/**
 * What the plugins that authenticate have in common of their settings. Immutable.
 *
 * @param optional whether a request without credentials passes
 * @param unlessKnown whether one passes whose consumer a plugin before has found
 * @param hides whether nodes don't see the credentials
 * @param realm of the challenge
 */
public record Terms(Credentials credentials, boolean optional, boolean unlessKnown, boolean hides, String realm) {
    /** The schemas of what passes, and of whether the plugin works. */
    public static final String PASSING_SCHEMA = """
            "enable": {
              "title": "enable",
              "description": "Whether the plugin works at all.",
              "type": "boolean",
              "default": true
            },
            "optional": {
              "title": "optional",
              "description": "Whether a request without credentials passes, without a consumer. One with wrong credentials is refused all the same.",
              "type": "boolean",
              "default": false
            },
            "unless-known": {
              "title": "unless-known",
              "description": "Whether a request whose consumer a plugin before has found passes as it is, whatever credentials it has for this one. Else this plugin asks for its own.",
              "type": "boolean",
              "default": false
            }""";

    /** The schema of {@code realm}. */
    public static final String REALM_SCHEMA = """
            "realm": {
              "title": "realm",
              "description": "What `WWW-Authenticate` calls that which is protected.",
              "type": "string",
              "minLength": 1,
              "maxLength": 128,
              "default": "sigma"
            }""";

    /** The schemas of the settings, but for {@code from}; {@code %s} is whether credentials are hidden by default. */
    public static final String SCHEMA = PASSING_SCHEMA + """
            ,
            "hide-credentials": {
              "title": "hide-credentials",
              "description": "Whether the credentials are taken out of the request before it goes on, of all places that `from` names.",
              "type": "boolean",
              "default": %s
            },
            """ + REALM_SCHEMA;

    /** Reads them. */
    public static Terms of(Settings settings, Credentials credentials, boolean hidesByDefault) {
        return new Terms(
                credentials,
                settings.get("optional").bool(false),
                settings.get("unless-known").bool(false),
                settings.get("hide-credentials").bool(hidesByDefault),
                realm(settings));
    }

    /** Reads {@code realm}. */
    public static String realm(Settings settings) {
        Settings realm = settings.get("realm");
        String text = realm.string("sigma");
        if (text.isEmpty() || !Field.isValue(text)) {
            throw realm.unfit("characters that may stand in a field");
        }
        return text;
    }

    /** An answer of a line of text, for that reason. */
    public static Outcome refusal(Reason reason, int status, String text, Field... fields) {
        return reason.respond(Response.line(status, text, fields));
    }
}
