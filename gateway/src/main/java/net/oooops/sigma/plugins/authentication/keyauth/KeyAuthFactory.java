package net.oooops.sigma.plugins.authentication.keyauth;

import java.util.HashMap;
import java.util.Map;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.Consumers;
import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.Digest;
import net.oooops.sigma.plugins.authentication.FileLines;
import net.oooops.sigma.plugins.authentication.FollowedFile;
import net.oooops.sigma.plugins.authentication.Terms;

/** Makes {@code key-auth}. */
public final class KeyAuthFactory implements PluginFactory {
    private static final int KEY_CHARS_MIN = 16;
    private static final int KEY_CHARS_MAX = 512;
    private static final String HASHED = "sha256:";
    private static final Credentials FROM = Credentials.inField("X-Api-Key");

    private static final String SCHEMA = """
            {
              "title": "key-auth",
              "description": "Lets requests with a known key in. Nodes are told whose it is, in `X-Consumer-Id`. Others are answered with 401.",
              "x-role": "finds-consumer",
              "type": "object",
              "additionalProperties": false,
              "anyOf": [{ "required": ["consumers"] }, { "required": ["file"] }],
              "properties": {
                %s,
                "from": %s,
                "consumers": {
                  "title": "consumers",
                  "description": "Who has a key.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 10000,
                  "items": {
                    "title": "a consumer",
                    "description": "One consumer.",
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["id"],
                    "properties": {
                      "id": {
                        "title": "id",
                        "description": "Who it is: for nodes, for plugins that follow and for the access log. Each is there once.",
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 256
                      },
                      "keys": {
                        "title": "keys",
                        "description": "The keys: as they are, of 16 visible characters at least, or better `sha256:` and the 64 hexadecimal digits of the SHA-256 of one, so that nobody who reads this can use it. Several, so that a new one can be given out before the old one ends; none where `file` has them.",
                        "type": "array",
                        "maxItems": 100,
                        "items": { "title": "a key", "description": "One key.", "type": "string", "minLength": 16, "maxLength": 4096, "x-secret": true },
                        "default": []
                      },
                      "fields": %s
                    }
                  }
                },
                "file": {
                  "title": "file",
                  "description": "A file with further keys, one a line: who has it, a colon, and the 64 hexadecimal digits of its SHA-256, with or without `sha256:` before them. Empty lines, and those that begin with `#`, say nothing. What `consumers` says of the same `id` holds. It is looked at every second: a changed one holds at once, and where it can't be used or is empty, the one before stays. A relative one starts from the folder of the file that says so.",
                  "type": "string",
                  "x-path": true,
                  "minLength": 1,
                  "maxLength": 4096
                },
                "key-max": {
                  "title": "key-max",
                  "description": "How long a key of a request may be, in characters. Longer ones are refused unread.",
                  "type": "integer",
                  "minimum": 16,
                  "maximum": 4096,
                  "default": 512
                }
              },
              "examples": [
                {
                  "consumers": [
                    {
                      "id": "shop",
                      "keys": ["sha256:963754d2670c03adfd1be0ef89006d911cf07c64aa3c61552607d58dbbd626ed"],
                      "fields": { "X-Consumer-Plan": "gold" }
                    }
                  ]
                }
              ]
            }
            """.formatted(
                    Terms.SCHEMA.formatted("true"),
                    Credentials.SCHEMA.formatted("[{ \"field\": \"X-Api-Key\" }]"),
                    Consumers.FIELDS_SCHEMA);

    @Override
    public String name() {
        return "key-auth";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Terms terms = Terms.of(settings, Credentials.of(settings.get("from"), FROM), true);
        int keyCharsMax = (int) settings.get("key-max").integer(KEY_CHARS_MAX);
        KeyAuth plugin = new KeyAuth(terms, keyCharsMax, refusals(terms, context));

        Map<String, Consumer> byId = new HashMap<>();
        Map<Digest, Consumer> byKey = new HashMap<>();
        for (Settings each : settings.get("consumers").elements()) {
            Consumer consumer = Consumers.of(each);
            if (byId.put(consumer.id(), consumer) != null) {
                throw each.get("id").unexpected("an id that no other consumer has");
            }
            for (Settings key : each.get("keys").elements()) {
                Consumer other = byKey.put(digest(key, keyCharsMax), consumer);
                if (other != null) {
                    throw unfit(key, "one that is nobody's yet; " + other.id() + " has it");
                }
            }
        }
        plugin.consumers(byKey);
        if (settings.get("file").isPresent()) {
            FollowedFile.follow(settings.get("file"), context, text -> plugin.consumers(with(byKey, byId, text)));
        }
        return plugin;
    }

    private static KeyAuth.Refusals refusals(Terms terms, PluginContext context) {
        Field challenge = Credentials.challenge(terms.credentials().scheme("ApiKey"), terms.realm(), "");
        return new KeyAuth.Refusals(
                refusal(context, "no-key", challenge),
                refusal(context, "malformed-key", challenge),
                refusal(context, "unknown-key", challenge));
    }

    private static Outcome refusal(PluginContext context, String reason, Field challenge) {
        return Terms.refusal(context.reason(reason), 401, "A known key is asked for.", challenge);
    }

    private static Digest digest(Settings key, int keyCharsMax) {
        String text = key.string();
        if (text.startsWith(HASHED)) {
            try {
                return Digest.ofHex(text.substring(HASHED.length()));
            } catch (IllegalArgumentException e) {
                throw unfit(key, "sha256: and 64 hexadecimal digits");
            }
        }
        if (text.length() < KEY_CHARS_MIN || text.length() > keyCharsMax || !KeyAuth.isKey(text)) {
            throw unfit(
                    key,
                    KEY_CHARS_MIN + " to " + keyCharsMax
                            + " visible characters of ASCII, or sha256: and 64 hexadecimal digits");
        }
        return Digest.of(text);
    }

    /** Without the key: others may see what is told. */
    private static SettingsException unfit(Settings key, String expected) {
        return new SettingsException(key.pointer(), "a key", expected);
    }

    /** The keys of the settings and, where they aren't there yet, those of a file's lines. */
    private static Map<Digest, Consumer> with(Map<Digest, Consumer> own, Map<String, Consumer> byId, String text) {
        Map<Digest, Consumer> all = new HashMap<>();
        int number = 0;
        for (String each : FileLines.of(text)) {
            String line = each.strip();
            number++;
            if (!line.isEmpty() && !line.startsWith("#")) {
                Digest key = digest(line, number);
                String id = id(line);
                Consumer known = byId.get(id);
                Consumer consumer = known == null ? Consumer.of(id) : known;
                Consumer other = all.put(key, consumer);
                if (other != null && !other.id().equals(id)) {
                    throw new UnfitException("in line " + number + " a key that is nobody's yet");
                }
            }
        }
        all.putAll(own);
        return all;
    }

    private static String id(String line) {
        int colon = line.lastIndexOf(':');
        int from = colon - HASHED.length() + 1;
        boolean marked = from >= 0 && line.startsWith(HASHED, from);
        return line.substring(0, marked ? from - 1 : colon);
    }

    private static Digest digest(String line, int number) {
        int colon = line.lastIndexOf(':');
        try {
            Digest digest = Digest.ofHex(line.substring(colon + 1));
            if (colon > 0 && Consumer.isId(id(line))) {
                return digest;
            }
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            // Told below, without what stands there: it may be a key.
        }
        throw new UnfitException(
                "in line " + number + " who has the key, a colon, and 64 hexadecimal digits of its SHA-256");
    }
}
