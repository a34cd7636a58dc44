package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keys and words that other gateways have (nginx, Kong, Envoy, Traefik, Spring Cloud Gateway, HAProxy), and what they are called here. Case,
 * {@code -} and {@code _} don't count. Looked at only where a key or word is none of Sigma's.
 */
final class ForeignWord {
    /**
     * What a key is here.
     *
     * @param keys those that it may be, the likeliest first
     * @param where it stands, in words
     */
    private record Key(List<String> keys, String where) {}

    private static final Map<String, Key> KEYS = new HashMap<>();
    private static final Map<String, List<String>> WORDS = new HashMap<>();

    static {
        key(
                "port",
                "\"port\" of a server in \"proxy-server\"",
                "listen",
                "bind",
                "listen-port",
                "server-port",
                "bind-port");
        key("proxy-server", "\"proxy-server\", at the top", "listeners", "listener", "entry-points", "entry-point");
        keys(
                List.of("nodes", "url", "host", "proxy-server"),
                "\"proxy-server\" where Sigma listens, \"nodes\" of an upstream for where requests go",
                "server",
                "servers",
                "address",
                "addresses");
        keys(
                List.of("virtual-host", "url", "nodes"),
                "\"virtual-host\" of a router",
                "server-name",
                "server-names",
                "host",
                "hosts",
                "hostname",
                "hostnames",
                "domain",
                "domains",
                "vhost",
                "vhosts",
                "virtual-hosts");
        keys(
                List.of("path", "route"),
                "\"route\" of a router, with the \"path\" that it takes",
                "location",
                "locations",
                "route",
                "routes",
                "rules",
                "path",
                "paths",
                "uri",
                "match",
                "predicates",
                "path-prefix");
        keys(
                List.of("proxy-pass-id", "upstream-id", "nodes", "upstream", "url"),
                "\"proxy-pass-id\" of a route; the proxy-pass names the upstream in \"upstream-id\"",
                "proxy-pass",
                "upstream",
                "service",
                "service-id",
                "cluster",
                "cluster-name",
                "backend",
                "target",
                "pool",
                "to");
        keys(
                List.of("nodes", "upstream", "proxy-pass-id"),
                "\"nodes\" of an upstream",
                "services",
                "clusters",
                "backends",
                "pools",
                "targets",
                "endpoints",
                "members",
                "instances",
                "load-assignment");
        key(
                "rule-strategy",
                "\"rule-strategy\" of an upstream",
                "load-balance",
                "load-balancer",
                "load-balancing",
                "load-balancing-policy",
                "lb-policy",
                "lb-method",
                "lb",
                "algorithm",
                "balance",
                "balancer",
                "strategy",
                "policy");
        key("allow-method", "\"allow-method\" of a route", "method", "methods", "http-methods", "verbs");
        key(
                "plugin",
                "\"plugin\" of a server, router, route or proxy-pass",
                "plugins",
                "filter",
                "filters",
                "middleware",
                "middlewares",
                "policies");
        key(
                "rewrite-path",
                "the plugin \"rewrite-path\"",
                "rewrite",
                "strip-prefix",
                "strip-path",
                "prefix-rewrite",
                "url-rewrite",
                "path-rewrite",
                "rewrite-target");
        key(
                "headers",
                "the plugin \"headers\"",
                "add-header",
                "set-header",
                "proxy-set-header",
                "request-headers",
                "response-headers",
                "request-transformer");
        key("ssl", "\"ssl\" of a server in \"proxy-server.https\", or of an upstream", "tls", "ssl", "https");
        key(
                "certPath",
                "\"certPath\" in \"ssl\" of a server",
                "ssl-certificate",
                "cert",
                "cert-file",
                "certificate-file");
        key("keyPath", "\"keyPath\" in \"ssl\" of a server", "ssl-certificate-key", "key", "key-file", "private-key");
        keys(
                List.of("timeout", "response"),
                "\"timeout\" of a proxy-pass",
                "timeout",
                "proxy-read-timeout",
                "read-timeout",
                "response-timeout",
                "request-timeout");
        key("connect-timeout", "\"connect-timeout\" of \"proxy-client\"", "proxy-connect-timeout", "connect-timeout");
        keys(
                List.of("body", "limits"),
                "\"body\" of \"limits\"",
                "client-max-body-size",
                "max-body-size",
                "max-request-bytes",
                "body-limit");
        key("keep-alive", "\"keep-alive\" of \"timeouts\"", "keep-alive", "keepalive-timeout");
        key(
                "health",
                "\"health\" of an upstream",
                "health",
                "health-check",
                "health-checks",
                "healthchecks",
                "health-checker");
        keys(
                List.of("passive", "health"),
                "\"passive\" in \"health\" of an upstream",
                "max-fails",
                "fail-timeout",
                "outlier-detection");
        key("weight", "\"weight\" beside \"url\" of a node", "weight");
        key(
                "retry",
                "\"retry\" of a proxy-pass",
                "retry",
                "retries",
                "retry-policy",
                "num-retries",
                "proxy-next-upstream");
        key("breaker", "\"breaker\" of an upstream", "breaker", "circuit-breaker", "circuit-breakers");
        key("sticky", "\"sticky\" of an upstream", "sticky", "sticky-sessions", "session-affinity", "affinity");
        key("log-config", "\"log-config\" of \"plugins\"", "access-log", "access-logs", "log-format", "logging", "log");
        key("admin", "\"admin\" of \"proxy-server\"", "admin", "dashboard", "metrics", "prometheus");
        key("-instance", "-instance N of `sigma run`", "worker-processes", "workers", "concurrency", "threads");

        keys(List.of("port", "url"), "\"port\" of a server in \"proxy-server\"", "port");

        word("round-robin", "rr", "wrr", "weighted-round-robin", "smooth-round-robin", "default");
        word(
                "least-connections",
                "least-conn",
                "least-request",
                "least-requests",
                "least-connection",
                "least-outstanding-requests",
                "wlc",
                "leastconn");
        word("source-hash", "ip-hash", "source", "source-ip", "client-ip", "source-address", "src");
        word(
                "consistent-hash",
                "ring-hash",
                "maglev",
                "chash",
                "ketama",
                "consistent",
                "consistent-hashing",
                "hash",
                "uri-hash",
                "url-hash",
                "uri");
        word(
                "p2c",
                "ewma",
                "peak-ewma",
                "least-time",
                "latency",
                "fastest",
                "power-of-two",
                "two-choices",
                "random-two");
        word("dns-srv", "dns", "srv", "strict-dns", "logical-dns");
        word("nodes-file", "file", "eds");
        word("static-config", "static");
        word(
                "address",
                "ip",
                "ip-address",
                "ipaddr",
                "remote-addr",
                "remote-address",
                "binary-remote-addr",
                "client",
                "client-ip",
                "client-address",
                "source",
                "source-ip",
                "src");
        word("consumer", "consumer-id", "consumer-name", "credential", "user", "username", "api-key", "apikey");
        word("route", "route-id", "route-name", "service");
        word("h2c", "grpc", "http2");
        word("h2", "grpcs", "https2");
    }

    private ForeignWord() {}

    private static void key(String key, String where, String... others) {
        keys(List.of(key), where, others);
    }

    private static void keys(List<String> keys, String where, String... others) {
        for (String other : others) {
            KEYS.put(plain(other), new Key(keys, where));
        }
    }

    private static void word(String word, String... others) {
        for (String other : others) {
            WORDS.computeIfAbsent(plain(other), _ -> new ArrayList<>()).add(word);
        }
    }

    /** Without what people mix up between styles. */
    static String plain(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** The key that another one is, of those that are known at its place; null where it is none of them. */
    static @Nullable String keyHere(String other, Collection<String> known) {
        Key meant = KEYS.get(plain(other));
        return meant == null ? null : first(meant.keys, known);
    }

    /** Where else it would stand, or null. */
    static @Nullable String keyElsewhere(String other) {
        Key meant = KEYS.get(plain(other));
        return meant == null ? null : meant.where;
    }

    /** The word that another one is, of those that are allowed; null where it is none of them. */
    static @Nullable String word(String other, Collection<String> allowed) {
        String bare = other.startsWith("$") ? other.substring(1) : other;
        return first(WORDS.getOrDefault(plain(bare), List.of()), allowed);
    }

    private static @Nullable String first(List<String> meant, Collection<String> known) {
        for (String each : meant) {
            if (known.contains(each)) {
                return each;
            }
        }
        return null;
    }
}
