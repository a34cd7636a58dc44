package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.oooops.sigma.api.Cidr;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/**
 * Warns of settings of plugins that can never do what they say, or are written as elsewhere and mean themselves here: blocks that are allowed and all denied,
 * variables in texts that are sent as they stand, groups written with a backslash, and hashes of keys without what says that they are hashes.
 */
final class PluginHabitCheck {
    /** A variable of nginx, Apache's or HAProxy's formats, Envoy's, Caddy's, Kong's or a template's. */
    private static final Pattern VARIABLE = Pattern.compile(
            "\\$\\{?([a-z][a-z0-9_]*)}?|\\{+\\s*\\.?([A-Za-z][A-Za-z0-9_.:-]*)\\s*}+"
                    + "|%\\{?\\[?([a-z][A-Za-z0-9_.-]*)(?:\\([^)]*\\))?[]}]|%([A-Z][A-Z_]+)(?:\\([^)]*\\))?%|\\$\\(([a-z][^)]*)\\)");
    /** Those of others, in lower case without what stands between words, and Sigma's. */
    private static final Map<String, String> FACTS = facts();

    /** So nginx calls what a field of the request has. */
    private static final String OF_FIELD = "http_";

    private static final Pattern HASH = Pattern.compile("[0-9A-Fa-f]{64}");

    private static final Pattern GROUP = Pattern.compile("(?<!\\\\)(?:\\\\\\\\)*\\\\([0-9])");

    /** So many pairs of blocks are looked at. */
    private static final long COMPARED_MAX = 1_000_000;

    private final Json root;
    private final Problems warnings;

    PluginHabitCheck(Json root, Problems warnings) {
        this.root = root;
        this.warnings = warnings;
    }

    private static Map<String, String> facts() {
        Map<String, List<String>> names = Map.of(
                "client-address",
                        List.of(
                                "remoteaddr",
                                "realipremoteaddr",
                                "clientip",
                                "src",
                                "remotehost",
                                "remoteip",
                                "ip",
                                "httprequestremotehost",
                                "httprequestremote",
                                "downstreamremoteaddress",
                                "downstreamremoteaddresswithoutport",
                                "binaryremoteaddr",
                                "clientaddress"),
                "peer-address", List.of("peeraddress", "downstreamdirectremoteaddress"),
                "host", List.of("host", "httphost", "servername", "httprequesthost", "httprequesthostport", "hostport"),
                "scheme", List.of("scheme", "httprequestscheme"),
                "method", List.of("method", "requestmethod", "httprequestmethod"),
                "path", List.of("path", "uri", "documenturi", "httprequesturipath", "requestpath"),
                "query", List.of("query", "args", "querystring", "httprequesturiquery"),
                "request-id", List.of("requestid", "reqid", "uniqueid", "httprequestuuid"),
                "tls-version", List.of("sslprotocol", "tlsversion", "httprequesttlsversion"),
                "tls-host", List.of("sslservername", "tlshost", "httprequesttlsservername"));
        Map<String, String> facts = new HashMap<>();
        names.forEach((fact, others) -> others.forEach(other -> facts.put(other, fact)));
        return Map.copyOf(facts);
    }

    void check() {
        OwnFieldCheck own = new OwnFieldCheck(root, warnings);
        for (Json holder : holders(root)) {
            Json plugins = holder.get("plugin");
            for (Json settings :
                    plugins == null ? List.<Json>of() : plugins.members().values()) {
                if (settings.kind() == Json.Kind.OBJECT && settings.flag("enable", true)) {
                    one(settings);
                    own.check(settings);
                }
            }
        }
    }

    /** All that may have plugins and has to be looked at. */
    static List<Json> holders(Json root) {
        List<Json> holders = new ArrayList<>(IdCheck.servers(root));
        holders.addAll(IdCheck.tcpServers(root));
        holders.addAll(IdCheck.udpServers(root));
        holders.addAll(IdCheck.boltServers(root));
        for (Json router : root.itemsOf("router")) {
            holders.add(router);
            // Those that are known have no plugins.
            holders.addAll(RoutesJson.unknown(router));
        }
        holders.addAll(root.itemsOf("proxy-pass"));
        return holders;
    }

    private void one(Json settings) {
        switch (settings.step()) {
            case "ip-restriction" -> addresses(settings);
            case "headers" -> {
                fields(settings.get("request"));
                fields(settings.get("response"));
            }
            case "rewrite-path" -> groups(settings.get("replacement"));
            case "redirect" -> query(settings);
            case "key-auth" -> hashes(settings);
            default -> {}
        }
    }

    /** What is printed by {@code sha256sum} is a key itself without a prefix: the key that it was made of is refused, and whoever reads the file is let in. */
    private void hashes(Json settings) {
        for (Json consumer : settings.itemsOf("consumers")) {
            for (Json key : consumer.itemsOf("keys")) {
                if (HASH.matcher(key.text()).matches()) {
                    warnings.value(
                            key,
                            "64 hexadecimal digits",
                            "\"sha256:\" before them, if they are the hash of a key: without it they are the key; a key is better"
                                    + " written as \"sha256:\" and what `printf %s KEY | sha256sum` prints",
                            null);
                }
            }
        }
    }

    private void addresses(Json settings) {
        Json deny = settings.get("deny");
        List<Json> allow = settings.itemsOf("allow");
        if (deny == null
                || allow.isEmpty()
                || (long) allow.size() * deny.items().size() > COMPARED_MAX) {
            return;
        }
        Set<Cidr> denied = new HashSet<>();
        for (Json block : deny.items()) {
            Cidr parsed = block(block);
            if (parsed != null) {
                denied.add(parsed);
            }
        }
        if (allow.stream().allMatch(block -> isWithin(block(block), denied))) {
            warnings.value(
                    deny,
                    "all that \"allow\" has",
                    "only parts of it, or no \"deny\": with \"allow\" all others are refused already, and so nobody is let in",
                    null);
        }
    }

    private static @Nullable Cidr block(Json text) {
        try {
            return Cidr.parse(text.text());
        } catch (UnfitException _) {
            return null;
        }
    }

    /** Whether one of the blocks has all of that one. */
    private static boolean isWithin(@Nullable Cidr block, Set<Cidr> denied) {
        if (block == null || denied.contains(block)) {
            return block != null;
        }
        IpAddress first = new IpAddress(block.high(), block.low(), block.ipv6());
        return denied.stream().anyMatch(each -> each.prefixBits() <= block.prefixBits() && each.contains(first));
    }

    private void fields(@Nullable Json side) {
        if (side == null) {
            return;
        }
        for (String key : List.of("set", "add")) {
            Json fields = side.get(key);
            Stream<Json> texts = fields == null
                    ? Stream.of()
                    : fields.members().values().stream().flatMap(value -> value.itemsOrSelf().stream());
            texts.filter(text -> text.isText() && !text.isSecret()).forEach(this::text);
        }
        Json templates = side.get("set-template");
        if (templates != null) {
            templates.members().values().forEach(this::template);
        }
    }

    /** Only names that others have: whatever else stands in braces or behind a dollar may be meant so. Nothing of the text but the variable is shown. */
    private void text(Json text) {
        Matcher variable = VARIABLE.matcher(text.text());
        while (variable.find()) {
            if (variable.group().contains("add_x_forwarded_for")) {
                warnings.value(
                        text, "no field X-Forwarded-For: Sigma adds it by itself, and this is sent as it stands");
                return;
            }
            String fact = fact(variable);
            if (fact != null) {
                warnings.value(
                        text,
                        Json.quoted(variable.group()),
                        "a text that is sent as it stands; what the request has is set by \"set-template\", with names such as {client-address}",
                        "{" + fact + "}");
                return;
            }
        }
    }

    /** In which names in braces are known ones. */
    private void template(Json text) {
        Matcher variable = VARIABLE.matcher(text.text());
        while (variable.find()) {
            String fact = fact(variable);
            if (fact != null && !variable.group().startsWith("{")) {
                warnings.value(
                        text,
                        Json.quoted(variable.group()),
                        "names in braces for what the request has; this is sent as it stands",
                        "{" + fact + "}");
            }
        }
    }

    private static @Nullable String fact(Matcher variable) {
        for (int group = 1; group <= variable.groupCount(); group++) {
            String name = variable.group(group);
            if (name != null) {
                String fact = FACTS.get(ForeignWord.plain(name.replace(".", "")));
                boolean field = fact == null && name.startsWith(OF_FIELD);
                return field ? "header:" + name.substring(OF_FIELD.length()).replace('_', '-') : fact;
            }
        }
        return null;
    }

    /** Who writes a regexp for it mostly comes from a rewrite of nginx's or a redirectregex of Traefik's, by which the query stays. */
    private void query(Json redirect) {
        Json to = redirect.get("to");
        if (to == null) {
            return;
        }
        boolean isLost = redirect.get("regexp") != null
                && to.text().indexOf('$') >= 0
                && !to.text().contains("$query")
                && to.text().indexOf('?') < 0
                && to.text().indexOf('#') < 0;
        if (isLost) {
            warnings.value(
                    to,
                    to.shown(),
                    "\"$query\" at its end, or \"?\" where what the client has in its query isn't wanted: it is dropped",
                    to.text() + "$query");
        }
    }

    private void groups(@Nullable Json replacement) {
        if (replacement == null || !replacement.isText()) {
            return;
        }
        Matcher group = GROUP.matcher(replacement.text());
        if (group.find()) {
            warnings.value(
                    replacement,
                    replacement.shown(),
                    "$" + group.group(1) + " for what a group of \"regexp\" found; \\" + group.group(1)
                            + " is the digit",
                    replacement.text().replaceAll("\\\\([0-9])", "\\$$1"));
        }
    }
}
