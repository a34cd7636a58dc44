package net.oooops.sigma.config;

import java.util.Set;

/** What the order of plugins has to do with, of those that are built in. Of others nobody knows what they do. */
public final class KnownPlugins {
    /** Those that find out whom a request is from. */
    private static final Set<String> FINDING =
            Set.of("basic-auth", "client-certificate", "forward-auth", "jwt", "key-auth", "oidc");

    /** Those that see responses alone, at which all is known that plugins of the request have found. */
    private static final Set<String> OF_RESPONSES =
            Set.of("csp", "error-pages", "hsts", "server-version", "set-cookie", "x-frame");

    /** The others that see requests. */
    private static final Set<String> OF_REQUESTS = Set.of(
            "body-limit",
            "compression",
            "concurrency-limit",
            "cors",
            "csrf",
            "decompress-request",
            "fault-injection",
            "grpc-web",
            "gzip",
            "headers",
            "http-redirect-https",
            "https-degrade-http",
            "ip-restriction",
            "metadata",
            "mirror",
            "rate-limit",
            "redirect",
            "request-id",
            "respond",
            "rewrite-path",
            "rewrite-query",
            "static-resources",
            "traffic-split");

    /** Those that answer what isn't to be refused, have another page in the place of an answer, or send requests elsewhere. */
    private static final Set<String> ANSWERING = Set.of(
            "cors",
            "error-pages",
            "fault-injection",
            "forward-auth",
            "http-redirect-https",
            "https-degrade-http",
            "oidc",
            "redirect",
            "respond",
            "static-resources",
            "traffic-split");

    private KnownPlugins() {}

    /** Whether a plugin of that name finds out whom a request is from. */
    public static boolean findsConsumer(String name) {
        return FINDING.contains(name);
    }

    /** Whether one of that name might: of plugins that aren't built in that can't be said. */
    static boolean mayFindConsumer(String name) {
        return !OF_REQUESTS.contains(name) && !OF_RESPONSES.contains(name);
    }

    /** Whether one of that name may answer more than what it refuses: of plugins that aren't built in that can't be said. */
    static boolean mayAnswer(String name) {
        boolean isKnown = FINDING.contains(name) || OF_REQUESTS.contains(name) || OF_RESPONSES.contains(name);
        return !isKnown || ANSWERING.contains(name);
    }

    /** Whether one of that name is sure to see requests, where its settings have it see any. */
    static boolean seesRequests(String name) {
        return FINDING.contains(name) || OF_REQUESTS.contains(name);
    }
}
