package net.oooops.sigma.plugins.authentication.oidc;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.plugins.authentication.Consumers;
import net.oooops.sigma.plugins.authentication.Terms;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.plugins.authentication.jose.Rules;

/** Makes {@code oidc}. */
public final class OidcFactory implements PluginFactory {
    private static final Duration SKEW_MAX = Duration.ofMinutes(10);
    private static final Duration LOGIN_MAX = Duration.ofHours(1);
    /** The provider's answers that a renewal waits for: tokens and, where keys have changed, what it says of itself, and keys. */
    private static final int TURN_ANSWERS = 3;

    /** What a renewal takes beside them. */
    private static final Duration TURN_MORE = Duration.ofSeconds(1);

    /** What Sigma says itself where a user is sent to log in. */
    private static final Set<String> SAID_HERE = Set.of(
            "response_type",
            "response_mode",
            "client_id",
            "redirect_uri",
            "scope",
            "state",
            "nonce",
            "code_challenge",
            "code_challenge_method",
            "request",
            "request_uri");

    private final InstantSource clock;

    /** For the catalog of plugins. */
    public OidcFactory() {
        this(InstantSource.system());
    }

    OidcFactory(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public String name() {
        return "oidc";
    }

    @Override
    public String schema() {
        return OidcSchema.TEXT;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Client client = client(settings);
        Map<String, String> proxyPasses = proxyPasses(settings);
        Provider provider = new Provider(
                way(settings, proxyPasses),
                context.counter(
                        "provider_failures",
                        "How often a provider could not be asked, or answered what can't be used."));
        Cookies cookies = new Cookies(
                settings.get("session-cookie").string("sigma-session"),
                client.callback().isSecure());
        String whose = settings.get("issuer").string() + " " + client.id();
        Sessions sessions = new Sessions(
                new Sessions.Terms(
                        atLeastASecond(settings.get("session-lifetime"), Duration.ofHours(8)),
                        settings.get("pass-access-token").bool(false)),
                clock);
        IdTokens idTokens = new IdTokens(provider, rules(settings, client.id()), client.id(), clock);
        Provided provided = new Provided(provider, client, idTokens);
        Oidc.Paths paths = paths(settings, client.callback());
        Oidc.Decisions decisions = decisions(settings);
        Duration loginLifetime = atMost(settings.get("login-lifetime"), Duration.ofMinutes(10), LOGIN_MAX);
        Answers answers = Answers.of(context, Terms.realm(settings), client.callback());
        // Last of what may be refused: what it may have connected to is given back by the plugin alone.
        SessionStore store = store(settings, context, cookies, whose, sessions);
        Logins logins = new Logins(
                provided,
                sessions,
                new Logins.Carried(cookies, new Sealer(secrets(settings), "login " + whose), loginLifetime, store),
                context.counter("logins", "How often a user has logged in."));
        logins.rehearse();
        Renewals renewals = new Renewals(
                provided,
                sessions,
                store,
                RenewalMemory.of(
                        whose + " " + cookies.name() + " " + secrets(settings).getFirst() + " "
                                + settings.get("session-store").get("redis-id").string("")),
                context.counter("renewals", "How often the provider has renewed a session."));
        return new Oidc(
                paths,
                decisions,
                new Oidc.Parts(provider, client, logins, sessions, store, renewals, cookies),
                answers,
                List.copyOf(new HashSet<>(proxyPasses.values())));
    }

    private static SessionStore store(
            Settings settings, PluginContext context, Cookies cookies, String whose, Sessions sessions) {
        Sealer sealer = new Sealer(secrets(settings), "session " + whose);
        Settings redis = settings.get("session-store").get("redis-id");
        return redis.isPresent()
                ? new RedisStore(
                        context.redis(redis.string()),
                        cookies,
                        new RedisStore.Sealers(new Sealer(secrets(settings), "place " + whose), sealer),
                        sessions,
                        timeout(settings).multipliedBy(TURN_ANSWERS).plus(TURN_MORE))
                : new CookieStore(cookies, sealer, sessions);
    }

    private static Client client(Settings settings) {
        Settings secret = settings.get("client-secret");
        Settings auth = settings.get("client-auth");
        if (auth.isPresent() && !secret.isPresent()) {
            throw auth.unexpected("a \"client-secret\" beside it");
        }
        Client.Proof proof = secret.isPresent()
                ? Client.Proof.valueOf(auth.string("basic").toUpperCase(Locale.ROOT))
                : Client.Proof.NONE;
        List<String> scopes = new ArrayList<>(List.of("openid"));
        settings.get("scopes").elements().stream()
                .map(Settings::string)
                .filter(each -> !each.equals("openid"))
                .forEach(scopes::add);
        Map<String, String> parameters = new HashMap<>();
        Settings written = settings.get("login-parameters");
        for (String name : written.keys()) {
            if (SAID_HERE.contains(name)) {
                throw written.get(name).unexpected("another parameter than " + name + ", which is Sigma's to say");
            }
            parameters.put(name, written.get(name).string());
        }
        return new Client(
                settings.get("client-id").string(),
                secret.string(""),
                proof,
                callback(settings.get("callback-url")),
                String.join(" ", scopes),
                parameters);
    }

    private static Url callback(Settings setting) {
        Url url = url(setting);
        if (!url.query().isEmpty() || url.path().equals("/") || !url.path().matches("/[A-Za-z0-9._~/-]*")) {
            throw setting.unexpected(
                    "a URL without a query, whose path is of letters, digits and . _ ~ / -, and not / alone");
        }
        return url;
    }

    private static Url url(Settings setting) {
        try {
            return Url.of(setting.string());
        } catch (UnfitException e) {
            throw setting.unfit(e.expected());
        }
    }

    private static Oidc.Paths paths(Settings settings, Url callback) {
        Settings logout = settings.get("logout-path");
        String path = logout.string("/oidc/logout");
        if (path.equals(callback.path()) || path.equals("/")) {
            throw logout.unexpected("another path than / and that of \"callback-url\"");
        }
        Settings after = settings.get("after-logout-url");
        return new Oidc.Paths(
                callback.path(), path, after.isPresent() ? url(after).toString() : callback.server() + "/");
    }

    private static Oidc.Decisions decisions(Settings settings) {
        String unauthenticated = settings.get("unauthenticated").string("auto").toUpperCase(Locale.ROOT);
        return new Oidc.Decisions(
                Unauthenticated.valueOf(unauthenticated),
                settings.get("unless-known").bool(false),
                settings.get("on-failure").string("refuse").equals("keep"),
                settings.get("pass-access-token").bool(false));
    }

    private static Map<String, String> proxyPasses(Settings settings) {
        Map<String, String> byServer = new HashMap<>();
        for (Settings each : settings.get("other-origins").elements()) {
            Settings written = each.get("origin");
            Url url = url(written);
            if (!url.target().equals("/") || written.string().endsWith("/")) {
                throw written.unfit("scheme, host and perhaps a port, and nothing behind them");
            }
            if (byServer.put(url.server(), each.get("proxy-pass-id").string()) != null) {
                throw written.unexpected("each origin once");
            }
        }
        byServer.put(
                url(settings.get("issuer")).server(),
                settings.get("proxy-pass-id").string());
        return byServer;
    }

    private static Provider.Way way(Settings settings, Map<String, String> proxyPasses) {
        Settings issuer = settings.get("issuer");
        if (!url(issuer).query().isEmpty()) {
            throw issuer.unfit("a URL without a query");
        }
        return new Provider.Way(
                issuer.string(),
                Metadata.placeFor(issuer.string()),
                proxyPasses,
                algorithms(settings.get("algorithms")),
                atLeastASecond(settings.get("provider-lifetime"), Duration.ofMinutes(10)),
                timeout(settings));
    }

    private static Duration timeout(Settings settings) {
        return settings.get("timeout").duration(Duration.ofSeconds(5));
    }

    private static Set<Algorithm> algorithms(Settings list) {
        EnumSet<Algorithm> algorithms = EnumSet.noneOf(Algorithm.class);
        for (Settings each : list.elements()) {
            Set<Algorithm> named = Algorithm.named(each.string());
            if (named.isEmpty()) {
                throw each.unfit("an algorithm for signatures");
            }
            algorithms.addAll(named);
        }
        return algorithms.isEmpty() ? Algorithm.ofPublicKeys() : algorithms;
    }

    private static List<String> secrets(Settings settings) {
        List<String> secrets =
                new ArrayList<>(List.of(settings.get("session-secret").string()));
        settings.get("former-session-secrets").elements().forEach(each -> secrets.add(each.string()));
        return secrets;
    }

    private static Rules rules(Settings settings, String clientId) {
        Map<FieldName, String> fields = new HashMap<>();
        Settings claims = settings.get("claims");
        for (String name : claims.keys()) {
            Settings claim = claims.get(name);
            fields.put(Consumers.fieldName(claim, name), claim.string());
        }
        return new Rules(
                Set.of(),
                Set.of(settings.get("issuer").string()),
                Set.of(clientId),
                Set.of("exp", "iat", "sub"),
                atMost(settings.get("clock-skew"), Duration.ofSeconds(60), SKEW_MAX)
                        .toMillis(),
                settings.get("consumer-claim").string("sub"),
                Map.copyOf(fields));
    }

    private static Duration atLeastASecond(Settings setting, Duration absent) {
        Duration found = setting.duration(absent);
        if (found.compareTo(Duration.ofSeconds(1)) < 0) {
            throw setting.unfit("1s at least");
        }
        return found;
    }

    private static Duration atMost(Settings setting, Duration absent, Duration most) {
        Duration found = setting.duration(absent);
        if (found.compareTo(most) > 0) {
            throw setting.unfit(most.toMinutes() + "m at most");
        }
        return found;
    }
}
