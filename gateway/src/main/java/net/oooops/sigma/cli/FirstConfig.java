package net.oooops.sigma.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.config.JsonFormat;
import net.oooops.sigma.config.NodeScheme;
import net.oooops.sigma.config.TextSyntax;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * The least that leads somewhere: one server and one upstream, and everything goes from the one to the other.
 *
 * @param nodes URLs, at least one, all of one scheme
 * @param hosts the virtual hosts that are taken; none for any
 * @param port where it listens
 */
record FirstConfig(List<String> nodes, List<String> hosts, int port) {
    /** What it is called in messages where it is in no file. */
    static final String NAME = "configuration of --to";

    static final int PORT_DEFAULT = 8080;

    private static final int PORT_MAX = 65535;
    private static final int PORT_DIGITS_MAX = 5;
    private static final String URL = "a URL such as http://127.0.0.1:3000";

    FirstConfig {
        nodes = List.copyOf(nodes);
        hosts = List.copyOf(hosts);
    }

    /** What these words say. */
    static FirstConfig of(FirstWords words) throws Failure {
        if (words.to().isEmpty()) {
            throw new Failure(Exit.USAGE, "--to URL: missing (expected: where requests go, " + URL + ")");
        }
        List<String> nodes = nodes(words.to());
        List<String> hosts = hosts(words.hosts());
        if (!hosts.isEmpty() && protocol(nodes) != Protocol.HTTP) {
            throw new Failure(
                    Exit.USAGE,
                    "--host: " + hosts.getFirst() + " (expected: no such option beside "
                            + NodeScheme.of(nodes.getFirst()).prefix() + ", whose sessions name no host)");
        }
        return new FirstConfig(nodes, hosts, port(words.port()));
    }

    /** The nodes that URLs name. */
    static List<String> nodes(List<String> typed) throws Failure {
        List<String> nodes = new ArrayList<>();
        for (String each : typed) {
            String node = node(each);
            NodeScheme scheme = NodeScheme.of(node);
            if (scheme.protocol() == Protocol.BOLT) {
                throw unfit(
                        "--to",
                        each,
                        "http://, https://, h2c://, h2://, tcp://, tls:// or udp://; Bolt needs a file",
                        null);
            }
            if (!nodes.isEmpty() && NodeScheme.of(nodes.getFirst()) != scheme) {
                String first = NodeScheme.of(nodes.getFirst()).prefix();
                throw unfit("--to", each, first + "host:port, as the first --to has it", null);
            }
            if (nodes.contains(node)) {
                throw unfit("--to", each + " a second time", "each node once", null);
            }
            nodes.add(node);
        }
        return nodes;
    }

    private static String node(String typed) throws Failure {
        boolean bare = typed.indexOf("://") > 0
                && typed.endsWith("/")
                && typed.indexOf('/', typed.indexOf("://") + 3) == typed.length() - 1;
        String node = (bare ? typed.substring(0, typed.length() - 1) : typed).toLowerCase(Locale.ROOT);
        try {
            TextSyntax.NODE_URL.check(node);
            return node;
        } catch (UnfitException e) {
            boolean schemed =
                    node.contains("://") && node.startsWith(NodeScheme.of(node).prefix());
            String nearest = isPort(node) ? "http://127.0.0.1:" + node : e.nearest();
            throw unfit(
                    "--to", typed, schemed ? e.expected() : URL, nearest == null || !isUrl(nearest) ? null : nearest);
        }
    }

    private static boolean isUrl(String text) {
        try {
            TextSyntax.NODE_URL.check(text);
            return true;
        } catch (UnfitException e) {
            return false;
        }
    }

    /** The virtual hosts that names are. */
    static List<String> hosts(List<String> typed) throws Failure {
        for (String host : typed) {
            try {
                TextSyntax.VIRTUAL_HOST.check(host);
            } catch (UnfitException e) {
                throw unfit("--host", host, e.expected(), e.nearest());
            }
        }
        return typed.stream()
                .map(host -> host.toLowerCase(Locale.ROOT))
                .distinct()
                .toList();
    }

    /** The port that a text is. */
    static int port(@Nullable String typed) throws Failure {
        if (typed == null) {
            return PORT_DEFAULT;
        }
        if (!isPort(typed)) {
            throw unfit("--port", typed, "1 to " + PORT_MAX + ", or 0 for any free one", null);
        }
        return Integer.parseInt(typed);
    }

    private static boolean isPort(String text) {
        return !text.isEmpty()
                && text.length() <= PORT_DIGITS_MAX
                && text.chars().allMatch(c -> c >= '0' && c <= '9')
                && Integer.parseInt(text) <= PORT_MAX;
    }

    private static Failure unfit(String option, String found, String expected, @Nullable String nearest) {
        String meant = nearest == null ? "" : "; did you mean " + nearest + "?";
        return new Failure(Exit.USAGE, option + ": " + found + " (expected: " + expected + meant + ")");
    }

    private static Protocol protocol(List<String> nodes) {
        return NodeScheme.of(nodes.getFirst()).protocol();
    }

    /** Whether these are requests of HTTP, which name their host. */
    boolean isHttp() {
        return protocol(nodes) == Protocol.HTTP;
    }

    /** As one would write it. */
    String json() {
        String json = (isHttp() ? http() : sessions())
                .replace("KEEP", NodeScheme.of(nodes.getFirst()).isSecure() ? ", \"preserve-host\": false" : "")
                .replace("PORT", String.valueOf(port))
                .replace("NODES", texts(nodes));
        JsonFormat.Formatted formatted =
                (JsonFormat.Formatted) JsonFormat.format(json.getBytes(StandardCharsets.UTF_8));
        return formatted.text();
    }

    private String http() {
        String host = hosts.size() == 1 ? '"' + hosts.getFirst() + '"' : texts(hosts);
        return """
                {
                  "proxy-server": { "http": { "id": "web", "port": PORT } },
                  "router": [
                    {
                      "id": "main",
                      "proxy-server-id": "web",HOST
                      "route": [{ "id": "all", "path": "/*", "proxy-pass-id": "app" }]
                    }
                  ],
                  "proxy-pass": [{ "id": "app", "upstream-id": "app"KEEP }],
                  "upstream": [{ "id": "app", "nodes": NODES }]
                }
                """.replace("HOST", hosts.isEmpty() ? "" : "\n\"virtual-host\": " + host + ",");
    }

    private String sessions() {
        return """
                {
                  "proxy-server": { "PROTOCOL": [{ "id": "sessions", "port": PORT, "proxy-pass-id": "app" }] },
                  "proxy-pass": [{ "id": "app", "upstream-id": "app" }],
                  "upstream": [{ "id": "app", "nodes": NODES }]
                }
                """.replace("PROTOCOL", Wording.word(protocol(nodes)));
    }

    private static String texts(List<String> texts) {
        return "["
                + String.join(", ", texts.stream().map(text -> '"' + text + '"').toList()) + "]";
    }

    /** {@code everything to http://127.0.0.1:3000}. */
    String routing() {
        String taken = hosts.isEmpty() ? "everything" : "requests for " + String.join(", ", hosts);
        return taken + " to " + String.join(", ", nodes);
    }
}
