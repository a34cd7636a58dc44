package net.oooops.sigma.plugins.authentication.clientcertificate;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;
import net.oooops.sigma.api.ClientCertificate.Kind;
import net.oooops.sigma.api.ClientCertificate.Name;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.plugins.authentication.Consumers;
import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.Terms;

/** Makes {@code client-certificate}. */
public final class ClientCertificateFactory implements PluginFactory {
    private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{64}");

    private static final String SCHEMA = """
            {
              "title": "client-certificate",
              "description": "Lets requests in whose connection was begun with a certificate that is known here. Nodes are told whose it is, in `X-Consumer-Id`. Without a certificate: 401, with one that is nobody's: 403. The server has to ask for certificates (`client-auth` of `ssl`), and verifies them in the handshake.",
              "x-role": "finds-consumer",
              "type": "object",
              "additionalProperties": false,
              "anyOf": [{ "required": ["consumers"] }, { "required": ["any"] }],
              "properties": {
                %s,
                %s,
                "any": {
                  "title": "any",
                  "description": "Whether any verified certificate does. Who isn't in `consumers` is whom the certificate names: its common name, or where it has none, the first of its names for hosts, URIs and mail. So the issuer may name anybody who is known here by other plugins, too.",
                  "type": "boolean",
                  "default": false
                },
                "consumers": {
                  "title": "consumers",
                  "description": "Whose certificates are. A fingerprint counts more than a subject, and that more than other names.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 10000,
                  "items": {
                    "title": "a consumer",
                    "description": "One consumer, with what a certificate of theirs has, one of which is enough.",
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["id"],
                    "anyOf": [{ "required": ["fingerprints"] }, { "required": ["subjects"] }, { "required": ["dns"] }, { "required": ["uri"] }, { "required": ["email"] }],
                    "properties": {
                      "id": {
                        "title": "id",
                        "description": "Who it is: for nodes, for plugins that follow and for the access log. Each is there once.",
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 256
                      },
                      "fingerprints": {
                        "title": "fingerprints",
                        "description": "The SHA-256 of certificates, as 64 hexadecimal digits, with colons between them or not: `openssl x509 -noout -fingerprint -sha256 -in client.crt` prints one. A renewed certificate has another.",
                        %s
                      },
                      "subjects": {
                        "title": "subjects",
                        "description": "Whole subjects, the most specific part first, such as `CN=shop,O=Example` (RFC 2253): `openssl x509 -noout -subject -nameopt RFC2253 -in client.crt` prints one. Letter case and repeated spaces don't count, except in `DC` and `emailAddress`, which are compared as they are.",
                        %s
                      },
                      "dns": {
                        "title": "dns",
                        "description": "Hosts among the subject alternative names. `*` is no wildcard here.",
                        %s
                      },
                      "uri": {
                        "title": "uri",
                        "description": "URIs among them, such as `spiffe://example.com/shop`, letter case included.",
                        %s
                      },
                      "email": {
                        "title": "email",
                        "description": "Addresses of mail among them; before the @ letter case counts.",
                        %s
                      },
                      "fields": %s
                    }
                  }
                }
              },
              "examples": [
                { "consumers": [{ "id": "shop", "uri": ["spiffe://example.com/shop"] }] },
                { "any": true }
              ]
            }
            """.formatted(
                    Terms.PASSING_SCHEMA,
                    Terms.REALM_SCHEMA,
                    list("a fingerprint", 95),
                    list("a subject", 1_024),
                    list("a host", 253),
                    list("a URI", 2_048),
                    list("an address", 320),
                    Consumers.FIELDS_SCHEMA);

    private static String list(String title, int charsMax) {
        return """
                "type": "array",
                "maxItems": 100,
                "items": { "title": "%1$s", "description": "%2$s.", "type": "string", "minLength": 1, "maxLength": %3$d },
                "default": []""".formatted(title, title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1), charsMax);
    }

    @Override
    public String name() {
        return "client-certificate";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Settings any = settings.get("any");
        Reading reading = new Reading();
        for (Settings each : settings.get("consumers").elements()) {
            reading.add(each);
        }
        if (reading.ids.isEmpty() && !any.bool(false)) {
            throw any.unexpected("true where consumers has nobody");
        }
        String text = "A known certificate is asked for.";
        return new ClientCertificateAuth(
                new ClientCertificateAuth.Passing(
                        settings.get("optional").bool(false),
                        settings.get("unless-known").bool(false)),
                reading.known(any.bool(false)),
                Terms.refusal(
                        context.reason("none"),
                        401,
                        text,
                        Credentials.challenge("ClientCertificate", Terms.realm(settings), "")),
                Terms.refusal(context.reason("unknown"), 403, text));
    }

    /** What is read of consumers. */
    private static final class Reading {
        private final Set<String> ids = new HashSet<>();
        private final Map<String, Consumer> byFingerprint = new HashMap<>();
        private final Map<X500Principal, Consumer> bySubject = new HashMap<>();
        private final Map<Name, Consumer> byName = new HashMap<>();

        void add(Settings settings) {
            Consumer consumer = Consumers.of(settings);
            if (!ids.add(consumer.id())) {
                throw settings.get("id").unexpected("an id that no other consumer has");
            }
            for (Settings each : settings.get("fingerprints").elements()) {
                put(byFingerprint, fingerprint(each), consumer, each);
            }
            for (Settings each : settings.get("subjects").elements()) {
                put(bySubject, subject(each), consumer, each);
            }
            for (Kind kind : Kind.values()) {
                for (Settings each :
                        settings.get(kind.name().toLowerCase(Locale.ROOT)).elements()) {
                    put(byName, new Name(kind, each.string()), consumer, each);
                }
            }
        }

        KnownCertificates known(boolean any) {
            return new KnownCertificates(byFingerprint, bySubject, byName, any);
        }

        private static <K> void put(Map<K, Consumer> known, K key, Consumer consumer, Settings place) {
            Consumer other = known.put(key, consumer);
            if (other != null) {
                throw place.unexpected("what no other certificate is known by; " + other.id() + " has it");
            }
        }

        private static String fingerprint(Settings setting) {
            String digits = setting.string().replace(":", "").toLowerCase(Locale.ROOT);
            if (!FINGERPRINT.matcher(digits).matches()) {
                throw setting.unexpected("the 64 hexadecimal digits of a SHA-256");
            }
            return digits;
        }

        private static X500Principal subject(Settings setting) {
            try {
                X500Principal subject = new X500Principal(setting.string());
                if (!subject.getName().isEmpty()) {
                    return subject;
                }
            } catch (IllegalArgumentException e) {
                // Told below.
            }
            throw setting.unexpected("a subject such as CN=shop,O=Example (RFC 2253)");
        }
    }
}
