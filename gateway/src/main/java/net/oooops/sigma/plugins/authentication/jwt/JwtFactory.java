package net.oooops.sigma.plugins.authentication.jwt;

import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
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
import net.oooops.sigma.plugins.authentication.Consumers;
import net.oooops.sigma.plugins.authentication.Credentials;
import net.oooops.sigma.plugins.authentication.FollowedFile;
import net.oooops.sigma.plugins.authentication.Overload;
import net.oooops.sigma.plugins.authentication.Terms;
import net.oooops.sigma.plugins.authentication.jose.Algorithm;
import net.oooops.sigma.plugins.authentication.jose.KeySet;
import net.oooops.sigma.plugins.authentication.jose.Rules;

/** Makes {@code jwt}. */
public final class JwtFactory implements PluginFactory {
    private static final Credentials FROM = Credentials.inAuthorization("Bearer");
    private static final Duration SKEW_MAX = Duration.ofMinutes(10);

    @Override
    public String name() {
        return "jwt";
    }

    @Override
    public String schema() {
        return JwtSchema.TEXT;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Terms terms = Terms.of(settings, Credentials.of(settings.get("from"), FROM), false);
        Jwt.Bounds bounds = new Jwt.Bounds((int) settings.get("token-max").integer(8_192), (int)
                settings.get("remembered").integer(10_000));
        Jwt plugin = new Jwt(
                terms,
                rules(settings),
                bounds,
                new Jwt.Answers(Refusals.outcomes(context, terms), Overload.of(context)),
                InstantSource.system());

        Set<Algorithm> allowed = algorithms(settings.get("algorithms"));
        KeySet own = OwnKeys.of(settings.get("keys"), allowed);
        if (!own.keys().isEmpty()) {
            plugin.keys(own);
        }
        Settings file = settings.get("jwks-file");
        Settings url = settings.get("jwks-url");
        if (file.isPresent() && url.isPresent()) {
            throw url.unexpected("either a file or a URL");
        }
        if (file.isPresent()) {
            FollowedFile.follow(file, context, new KeyTaker(file.string(), own, allowed, true, plugin::keys));
        }
        if (url.isPresent()) {
            PluginContext.Counter failures =
                    context.counter("key_fetch_failures", "How often keys couldn't be fetched from a URL.");
            plugin.fetch(new RemoteKeys(
                    wanted(settings, url), new KeyTaker(url.string(), own, allowed, false, plugin::keys), failures));
        }
        if (own.keys().isEmpty() && !file.isPresent() && !url.isPresent()) {
            throw settings.get("keys").unexpected("a key, a file of them or a URL");
        }
        return plugin;
    }

    private static Set<Algorithm> algorithms(Settings list) {
        if (!list.isPresent()) {
            return EnumSet.allOf(Algorithm.class);
        }
        Set<Algorithm> algorithms = EnumSet.noneOf(Algorithm.class);
        for (Settings each : list.elements()) {
            Set<Algorithm> named = Algorithm.named(each.string());
            if (named.isEmpty()) {
                throw each.unfit("an algorithm for signatures; none isn't one");
            }
            algorithms.addAll(named);
        }
        return algorithms;
    }

    private static Rules rules(Settings settings) {
        Settings skew = settings.get("clock-skew");
        Duration skewed = skew.duration(Duration.ofSeconds(60));
        if (skewed.compareTo(SKEW_MAX) > 0) {
            throw skew.unfit("10m at most");
        }
        Set<String> required = new HashSet<>(texts(settings.get("required-claims")));
        if (settings.get("expiration-required").bool(true)) {
            required.add("exp");
        }
        Map<FieldName, String> fields = new HashMap<>();
        Settings claims = settings.get("claims");
        for (String name : claims.keys()) {
            Settings claim = claims.get(name);
            fields.put(Consumers.fieldName(claim, name), claim.string());
        }
        List<String> types = texts(settings.get("types"));
        return new Rules(
                Set.copyOf(types.stream()
                        .map(each -> each.toLowerCase(Locale.ROOT))
                        .toList()),
                Set.copyOf(texts(settings.get("issuer"))),
                Set.copyOf(texts(settings.get("audience"))),
                Set.copyOf(required),
                skewed.toMillis(),
                settings.get("consumer-claim").string("sub"),
                Map.copyOf(fields));
    }

    private static List<String> texts(Settings oneOrSeveral) {
        if (!oneOrSeveral.isPresent()) {
            return List.of();
        }
        return oneOrSeveral.isList()
                ? oneOrSeveral.elements().stream()
                        .map(Settings::string)
                        .distinct()
                        .toList()
                : List.of(oneOrSeveral.string());
    }

    private static RemoteKeys.Wanted wanted(Settings settings, Settings url) {
        Settings ca = settings.get("jwks-ca");
        return new RemoteKeys.Wanted(
                url(url),
                ca.isPresent() ? Trust.of(ca) : null,
                atLeastASecond(settings.get("jwks-lifetime"), Duration.ofMinutes(10)),
                atLeastASecond(settings.get("jwks-pause"), Duration.ofSeconds(30)),
                atLeastASecond(settings.get("jwks-timeout"), Duration.ofSeconds(5)));
    }

    private static Duration atLeastASecond(Settings setting, Duration absent) {
        Duration found = setting.duration(absent);
        if (found.compareTo(Duration.ofSeconds(1)) < 0) {
            throw setting.unfit("1s at least");
        }
        return found;
    }

    private static URI url(Settings setting) {
        try {
            URI url = URI.create(setting.string());
            String host = url.getHost();
            boolean here = "localhost".equals(host) || "127.0.0.1".equals(host) || "[::1]".equals(host);
            boolean fits = "https".equals(url.getScheme()) || ("http".equals(url.getScheme()) && here);
            if (fits && host != null && url.getUserInfo() == null && url.getFragment() == null) {
                return url;
            }
        } catch (IllegalArgumentException e) {
            // Told below.
        }
        throw setting.unfit("a URL of https, or of http on this machine, without user and fragment");
    }
}
