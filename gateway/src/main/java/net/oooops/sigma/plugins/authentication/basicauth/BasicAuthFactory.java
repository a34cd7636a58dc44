package net.oooops.sigma.plugins.authentication.basicauth;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.Consumers;
import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.FollowedFile;
import net.oooops.sigma.plugins.authentication.Overload;
import net.oooops.sigma.plugins.authentication.Terms;
import net.oooops.sigma.plugins.authentication.basicauth.Users.User;

/** Makes {@code basic-auth}. */
public final class BasicAuthFactory implements PluginFactory {
    private static final String SCHEMA = """
            {
              "title": "basic-auth",
              "description": "Lets requests with a known user and password in (RFC 7617). Nodes are told who it is, in `X-Consumer-Id`. Others are answered with 401. Passwords are hashed on half of the cores, off the event loops.",
              "x-role": "finds-consumer",
              "type": "object",
              "additionalProperties": false,
              "anyOf": [{ "required": ["consumers"] }, { "required": ["file"] }],
              "properties": {
                %s,
                "consumers": {
                  "title": "consumers",
                  "description": "Who may come in.",
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 10000,
                  "items": {
                    "title": "a user",
                    "description": "One user.",
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["id"],
                    "properties": {
                      "id": {
                        "title": "id",
                        "description": "The name of the user, without a colon: for nodes, for plugins that follow and for the access log, too. Each is there once.",
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 256
                      },
                      "password": {
                        "title": "password",
                        "description": "A hash of the password: bcrypt, as `htpasswd -nB -C 10 NAME` prints it behind the colon, with a cost of 4 to 14, or Argon2id, with m of 65536 at most: so many KiB of memory while it is compared, of which 4 are at once, 256 MiB. Nothing where `file` has it.",
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 512,
                        "x-secret": true
                      },
                      "fields": %s
                    }
                  }
                },
                "file": {
                  "title": "file",
                  "description": "A file of Apache's htpasswd with further users, each with bcrypt or Argon2id. What `consumers` says of the same user holds. It is looked at every second: a changed one holds at once, and where it can't be used or is empty, the one before stays. A relative one starts from the folder of the file that says so.",
                  "type": "string",
                  "x-path": true,
                  "minLength": 1,
                  "maxLength": 4096
                },
                "password-max": {
                  "title": "password-max",
                  "description": "How long a password may be, in bytes. Of a longer one nothing is hashed. bcrypt looks at the first 72.",
                  "type": "integer",
                  "minimum": 8,
                  "maximum": 1024,
                  "default": 256
                },
                "remembered": {
                  "title": "remembered",
                  "description": "How many users with their passwords are remembered once they were let in, as a digest with a secret of this process. 0: each request is hashed.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 1000000,
                  "default": 10000
                },
                "remembered-for": {
                  "title": "remembered-for",
                  "description": "For how long, and as long again whenever less than half of it is left as the user comes, up to twelve times as long; then the password is hashed again. For a user who isn't in the file any more, or has another hash there, it ends at once.",
                  "type": "string",
                  "x-expected": "a duration such as \\"30s\\", \\"5m\\" or \\"1h\\"",
                  "default": "5m"
                },
                "waiting": {
                  "title": "waiting",
                  "description": "How many passwords may be hashed or wait for it, here; half of them where the client's address, or network of IPv6 (/64), isn't one of the last 10,000 that had a right one, and a quarter where that has another one waiting, too. All places together may have 1,000, 500 and 250. Beyond: 503.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000,
                  "default": 64
                },
                "waiting-per-client": {
                  "title": "waiting-per-client",
                  "description": "How many of them may be of one client's address, or of one network of IPv6 (/64). In all places together it may have 200. Beyond: 429. Many requests with one password are one.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 200,
                  "default": 4
                }
              },
              "examples": [
                {
                  "realm": "shop",
                  "consumers": [{ "id": "ada", "password": "$2y$10$JbBtxgCTNH65.U1HhZKLKeSG.x0CdobZ7WOlfZ2fSN3/Wvt033sFS" }]
                }
              ]
            }
            """.formatted(Terms.SCHEMA.formatted("true"), Consumers.FIELDS_SCHEMA);

    @Override
    public String name() {
        return "basic-auth";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Terms terms = Terms.of(settings, Credentials.inAuthorization("Basic"), true);
        BasicAuth.Bounds bounds = new BasicAuth.Bounds(
                (int) settings.get("password-max").integer(256),
                (int) settings.get("remembered").integer(10_000),
                settings.get("remembered-for").duration(Duration.ofMinutes(5)).toNanos(),
                Hashing.ALL_PLACES.within((int) settings.get("waiting").integer(64), (int)
                        settings.get("waiting-per-client").integer(4)));
        BasicAuth plugin = new BasicAuth(terms, bounds, refusals(terms, context), System::nanoTime);

        Map<String, Consumer> consumers = new HashMap<>();
        Map<String, User> users = new HashMap<>();
        for (Settings each : settings.get("consumers").elements()) {
            Consumer consumer = Consumers.of(each);
            if (consumer.id().indexOf(':') >= 0 || consumers.put(consumer.id(), consumer) != null) {
                throw each.get("id").unexpected("a name without a colon that no other consumer has");
            }
            Settings password = each.get("password");
            if (password.isPresent()) {
                users.put(consumer.id(), new User(consumer, hash(password)));
            } else if (!settings.get("file").isPresent()) {
                throw password.unexpected("a hash of the password, where there is no file that has one");
            }
        }
        plugin.users(Users.of(users));
        if (settings.get("file").isPresent()) {
            FollowedFile.follow(
                    settings.get("file"),
                    context,
                    text -> plugin.users(Users.of(Htpasswd.with(users, consumers, text))));
        }
        return plugin;
    }

    /** What is told doesn't show it. */
    private static PasswordHash hash(Settings password) {
        try {
            return PasswordHash.of(password.string());
        } catch (UnfitException e) {
            throw new SettingsException(password.pointer(), "a password", e.expected());
        }
    }

    private static BasicAuth.Refusals refusals(Terms terms, PluginContext context) {
        Field challenge = Credentials.challenge("Basic", terms.realm(), ", charset=\"UTF-8\"");
        String who = "User and password are asked for.";
        return new BasicAuth.Refusals(
                Terms.refusal(context.reason("no-password"), 401, who, challenge),
                Terms.refusal(context.reason("malformed-password"), 401, who, challenge),
                Terms.refusal(context.reason("unknown-user"), 401, who, challenge),
                Terms.refusal(context.reason("wrong-password"), 401, who, challenge),
                Overload.of(context));
    }
}
