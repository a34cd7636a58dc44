package net.oooops.sigma.config;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a schema cannot say: that references lead somewhere, that ids are unique, that texts have the syntax of what they name, and
 * that values go together. Works on any tree, also one with values that the schema refused: those are passed over.
 */
final class MeaningCheck {

    private final Json root;
    private final Problems problems;

    MeaningCheck(Json root, Problems problems) {
        this.root = root;
        this.problems = problems;
    }

    void check() {
        new IdCheck(root, problems).check();
        new ServerCheck(root, problems).check();
        AdminCheck.check(root, problems);
        Set<String> ofBolt = BoltCheck.ids(root);
        for (Json router : root.itemsOf("router")) {
            if (ofBolt.contains(router.text("proxy-server-id", ""))) {
                continue;
            }
            router(router);
            for (Json route : RoutesJson.unknown(router)) {
                route(route);
            }
        }
        HealthCheck health = new HealthCheck(problems);
        for (Json upstream : root.itemsOf("upstream")) {
            nodes(upstream.itemsOf("nodes"), problems);
            health.check(upstream);
        }
        Json plugins = root.get("plugins");
        Json log = plugins == null ? null : plugins.get("log-config");
        problems.text(log == null ? null : log.get("format"), TextSyntax.LOG_FORMAT);
        RedisReader.check(root, problems);
        new SubRouterCheck(root, problems).check();
        new SourceCheck(root, problems).check();
        new DnsCheck(problems).check(root);
        new TcpCheck(root, problems).check();
        new BoltCheck(root, problems).check();
        new MemoryCheck(root, problems).check();
        new ProtocolCheck(root, problems).check();
        new BalanceCheck(root, problems).check();
        new BreakerCheck(root, problems).check();
        new ReachCheck(root, problems).check();
        new HealCheck(root, problems).check();
        new DegradeCheck(root).check(problems);
    }

    private void router(Json router) {
        List<Json> hosts = router.itemsOrSelfOf("virtual-host");
        problems.texts(hosts, TextSyntax.VIRTUAL_HOST);
        Set<String> seen = new HashSet<>();
        for (Json host : hosts) {
            if (!problems.has(host) && !seen.add(host.text().toLowerCase(Locale.ROOT))) {
                problems.value(host, host.shown() + " a second time", "each host once", null);
            }
        }
        problems.texts(router.itemsOf("trusted-proxies"), TextSyntax.ADDRESS_BLOCK);
        Json allow = router.get("allow-forward");
        boolean believed = AllowForward.of(router.text("allow-forward", "none")) != AllowForward.NONE;
        if (allow != null && believed && router.itemsOf("trusted-proxies").isEmpty()) {
            problems.value(allow, "\"none\", or \"trusted-proxies\" beside it that say who is believed");
        }
    }

    private void route(Json route) {
        problems.text(route.get("path"), TextSyntax.PATH);
        problems.texts(route.itemsOf("allow-method"), TextSyntax.METHOD);
        connect(route);
        problems.texts(route.itemsOf("consumes"), TextSyntax.MEDIA_RANGE);
        problems.texts(route.itemsOf("produces"), TextSyntax.MEDIA_TYPE);
        for (Json header : route.itemsOf("header")) {
            problems.text(header.get("name"), TextSyntax.FIELD_NAME);
        }
    }

    /** A CONNECT has no path: a route that takes it is for all of them. */
    private void connect(Json route) {
        Json path = route.get("path");
        boolean named = path != null
                && path.isText()
                && !problems.has(path)
                && !List.of("/*", "*").contains(path.text());
        boolean connects = route.itemsOf("allow-method").stream()
                .anyMatch(method -> method.isText() && method.text().equals(HttpSyntax.CONNECT));
        if (path != null && named && connects) {
            problems.value(path, "\"/*\" beside \"allow-method\" with CONNECT, which has no path");
        }
    }

    /** The nodes of an upstream, wherever they are written. */
    static void nodes(List<Json> nodes, Problems problems) {
        Set<String> seen = new HashSet<>();
        for (Json node : nodes) {
            Json url = node.kind() == Json.Kind.OBJECT ? node.get("url") : node;
            problems.text(url, TextSyntax.NODE_URL);
            if (url == null || !url.isText() || problems.has(url)) {
                continue;
            }
            if (!seen.add(NodeUrl.node(url.text(), NodeConfig.WEIGHT_DEFAULT).hostAndPort())) {
                problems.value(url, "each node once; \"weight\" gives it a larger share");
            }
        }
    }
}
