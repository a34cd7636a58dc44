package net.oooops.sigma.config;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** HTTP leads to nodes of HTTP, sessions to nodes of their own protocol, and nothing is written that only another kind has. */
final class ProtocolCheck {

    private final Json root;
    private final Problems problems;

    private final Map<String, Protocol> upstreams;
    /** By id, what the nodes speak that a proxy-pass leads to. */
    private final Map<String, Protocol> passes = new HashMap<>();

    ProtocolCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
        this.upstreams = upstreams(root);
    }

    /** What the nodes of an upstream speak. */
    static Protocol protocol(Json upstream) {
        return scheme(upstream).protocol();
    }

    /** How the nodes of an upstream are reached: as the first of them is, or, where they are written elsewhere, as it says itself. */
    static NodeScheme scheme(Json upstream) {
        List<Json> nodes = upstream.itemsOf("nodes");
        String said = upstream.text("protocol", "");
        if (nodes.isEmpty()) {
            return NodeScheme.ofWord(said);
        }
        NodeScheme first = NodeScheme.of(url(nodes.getFirst()));
        return Objects.requireNonNullElse(first.in(said), first);
    }

    /** Which version of HTTP the nodes of an upstream are spoken to in. */
    static HttpVersion httpVersion(Json upstream) {
        if (upstream.text("protocol", "").equals(NodeScheme.AUTO)) {
            return HttpVersion.AGREED;
        }
        return scheme(upstream).isHttp2() ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1;
    }

    private static String url(Json node) {
        return node.isText() ? node.text() : node.text("url", "");
    }

    /** By id, what the nodes of each upstream speak. */
    static Map<String, Protocol> upstreams(Json root) {
        Map<String, Protocol> upstreams = new HashMap<>();
        for (Json upstream : root.itemsOf("upstream")) {
            upstreams.put(upstream.text("id", ""), protocol(upstream));
        }
        return upstreams;
    }

    void check() {
        for (Json upstream : root.itemsOf("upstream")) {
            upstream(upstream);
        }
        for (Json pass : root.itemsOf("proxy-pass")) {
            pass(pass);
        }
        Set<String> ofBolt = BoltCheck.ids(root);
        for (Json router : root.itemsOf("router")) {
            boolean calls = ofBolt.contains(router.text("proxy-server-id", ""));
            Protocol expected = calls ? Protocol.BOLT : Protocol.HTTP;
            boolean lead = RoutesJson.passes(router).stream().allMatch(id -> passes.get(id) == expected);
            for (Json route : lead ? RoutesJson.unknown(router) : router.itemsOf("route")) {
                leads(route.get("proxy-pass-id"), expected);
            }
        }
        for (Json reference : PluginReferences.of(root, PluginReferences.PROXY_PASS)) {
            leads(reference, Protocol.HTTP);
            bare(reference);
        }
        for (Json server : IdCheck.tcpServers(root)) {
            leads(server.get("proxy-pass-id"), Protocol.TCP);
            server.itemsOf("route").forEach(route -> leads(route.get("proxy-pass-id"), Protocol.TCP));
            trust(server);
        }
        for (Json server : IdCheck.udpServers(root)) {
            leads(server.get("proxy-pass-id"), Protocol.UDP);
        }
        for (Json server : IdCheck.boltServers(root)) {
            leads(server.get("proxy-pass-id"), Protocol.BOLT);
        }
    }

    private void upstream(Json upstream) {
        List<Json> nodes = upstream.itemsOf("nodes");
        Json protocol = upstream.get("protocol");
        if (protocol != null && !problems.has(protocol)) {
            version(protocol, nodes.isEmpty() ? null : NodeScheme.of(url(nodes.getFirst())));
        }
        nodes(
                nodes,
                scheme(upstream),
                protocol != null,
                "the first node of this upstream " + (protocol == null ? "has it" : "and \"protocol\" say"),
                problems);
    }

    /** What is said of the version that nodes are spoken to in goes with how their URLs begin, where these are known. */
    private void version(Json protocol, @Nullable NodeScheme of) {
        String said = protocol.text();
        if (of == null) {
            if (said.equals("http/1.1")) {
                problems.value(protocol, "\"http\", or \"https\" for HTTP/1.1 over TLS");
            }
            return;
        }
        String versions = of.versions();
        if (versions == null) {
            String expected = "no such key with \"nodes\"; the schemes of their URLs say it";
            problems.key(protocol, "\"protocol\"", expected, null);
        } else if (of.in(said) == null) {
            boolean early = of == NodeScheme.HTTP && said.equals(NodeScheme.AUTO);
            String why = early ? ": a version is agreed on in the handshake of TLS only" : "";
            problems.value(protocol, versions + " with nodes of " + of.prefix() + why);
        }
    }

    /**
     * They all have that scheme, as somebody says.
     *
     * @param versioned whether the version of HTTP is said beside them: their schemes needn't say it then
     */
    static void nodes(List<Json> nodes, NodeScheme scheme, boolean versioned, String says, Problems problems) {
        for (Json node : nodes) {
            Json url = node.isText() ? node : node.get("url");
            if (url == null || !url.isText() || problems.has(url)) {
                continue;
            }
            NodeScheme has = NodeScheme.of(url.text());
            if (has != scheme && !(versioned && scheme.takes(has))) {
                problems.value(url, scheme.form() + ", as " + says);
            }
        }
    }

    private void pass(Json pass) {
        Protocol protocol = upstreams.get(pass.text("upstream-id", ""));
        upgrades(pass);
        if (protocol == null) {
            return;
        }
        passes.put(pass.text("id", ""), protocol);
        String with = "no such key with " + protocol.name().toLowerCase(Locale.ROOT) + ":// nodes";
        if (protocol.isOfSessions()) {
            foreign(pass.get("timeout"), with + "; a " + protocol.name() + " server has its own \"idle-timeout\"");
            if (!pass.flag("preserve-host", true)) {
                foreign(pass.get("preserve-host"), with);
            }
        } else if (protocol == Protocol.BOLT) {
            Json timeout = pass.get("timeout");
            foreign(
                    timeout == null ? null : timeout.get("idle"),
                    "no such key with bolt:// nodes; \"response\" is all");
            for (String ofTunnels : List.of("tunnel-idle", "tunnel-lifetime")) {
                foreign(
                        timeout == null ? null : timeout.get(ofTunnels),
                        "no such key with bolt:// nodes; \"response\" is all");
            }
            if (!pass.flag("preserve-host", true)) {
                foreign(pass.get("preserve-host"), "no such key with bolt:// nodes");
            }
        }
        if (protocol != Protocol.HTTP && !isDefault(pass.itemsOf("upgrade"))) {
            foreign(pass.get("upgrade"), with);
        }
        if (protocol != Protocol.TCP && !pass.text("proxy-protocol", "none").equals("none")) {
            foreign(pass.get("proxy-protocol"), with);
        }
    }

    private void upgrades(Json pass) {
        List<Json> names = pass.itemsOf("upgrade");
        problems.texts(names, TextSyntax.UPGRADE);
        Set<String> seen = new HashSet<>();
        for (Json name : names) {
            if (!problems.has(name) && !seen.add(name.text().toLowerCase(Locale.ROOT))) {
                problems.value(name, name.shown() + " a second time", "each protocol once", null);
            }
        }
    }

    private static boolean isDefault(List<Json> upgrades) {
        return upgrades.stream()
                .map(name -> name.isText() ? name.text() : "")
                .toList()
                .equals(TunnelConfig.DEFAULT.protocols());
    }

    private void foreign(@Nullable Json value, String expected) {
        if (value != null) {
            problems.key(value, Json.quoted(value.step()), expected, null);
        }
    }

    /** Where a reference leads to a proxy-pass, its nodes are of that protocol. */
    private void leads(@Nullable Json reference, Protocol expected) {
        Protocol found = reference == null ? null : passes.get(reference.text());
        if (reference != null && found != null && found != expected) {
            problems.value(
                    reference,
                    reference.shown() + ", which leads to " + form(found),
                    "a proxy-pass to " + form(expected),
                    null);
        }
    }

    /** Requests that a plugin sends elsewhere have passed all plugins by then. */
    private void bare(Json reference) {
        for (Json pass : root.itemsOf("proxy-pass")) {
            Json plugins = pass.get("plugin");
            boolean guarded = plugins != null && !plugins.members().isEmpty();
            if (guarded && pass.text("id", "").equals(reference.text())) {
                problems.value(
                        reference,
                        reference.shown() + ", which has plugins of its own",
                        "a proxy-pass without plugins: requests sent there by a plugin pass those of their route only",
                        null);
            }
        }
    }

    private static String form(Protocol protocol) {
        return NodeScheme.ofWord(protocol.name().toLowerCase(Locale.ROOT)).form();
    }

    private void trust(Json server) {
        problems.texts(server.itemsOf("trusted-proxies"), TextSyntax.ADDRESS_BLOCK);
        Json accepts = server.get("proxy-protocol");
        if (accepts != null
                && server.flag("proxy-protocol", false)
                && server.itemsOf("trusted-proxies").isEmpty()) {
            problems.value(accepts, "false, or \"trusted-proxies\" beside it that say whose header is believed");
        }
    }
}
