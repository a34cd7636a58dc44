package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keys that other gateways have at a place, and where Sigma has what they say. A place is a JSON Pointer without indices; within plugins it begins with
 * {@code /plugin/NAME}. Case, {@code -} and {@code _} don't count in keys. Looked at only where a key is none of Sigma's.
 */
final class PlacedKey {
    private static final String PLUGIN = "plugin";
    /** Stands for all places that hold others, where people write what they look for. */
    private static final String HOLDERS = "*";

    private static final Set<String> HOLDING = Set.of(
            "",
            "/proxy-server",
            "/proxy-server/http",
            "/proxy-server/https",
            "/proxy-server/tcp",
            "/router",
            "/router/route",
            "/proxy-pass",
            "/upstream",
            "/upstream/nodes",
            "/plugins",
            "/plugin");

    /**
     * Places, keys there, and where Sigma has that. What isn't a path is said as it stands; {@code ./} is the place itself. The first that fits is taken.
     */
    private static final String TABLE = """
            /upstream/health/active : uri url path endpoint http-path check-path request-path > ./http/path
            /upstream/health/active : status statuses codes expected-status expected-statuses expected-codes http-statuses > ./http/status
            /upstream/health/active : method http-method > ./http/method
            /upstream/health/active : host hostname host-header > ./http/host
            /upstream/health/active : rise passes success successes healthy-threshold success-threshold > ./healthy
            /upstream/health/active : fall fails failures unhealthy-threshold failure-threshold > ./unhealthy
            /upstream/health/active/http : uri url endpoint http-path request-path > ./path
            /upstream/health/active/http : code codes statuses expected-status expected-statuses expected-codes http-statuses > ./status
            /upstream/health/active/http : body match response contains expect > ./text
            /upstream/health/active/http : interval > /upstream/health/active/interval
            /upstream/health/active/http : timeout > /upstream/health/active/timeout
            /upstream/health : interval timeout port path uri url http tcp healthy unhealthy > ./active
            /upstream/health/passive : fails max-fails failures unhealthy-threshold consecutive-5xx > ./consecutive-errors
            /upstream/health/passive : fail-timeout base-ejection-time > ./ejection-time
            /upstream,/proxy-pass : keepalive keep-alive > nothing: connections to nodes are kept by themselves; a bound for them is "max-pool-size-per-server" of "proxy-client"
            /upstream,/proxy-pass : max-connections max-conns > /upstream/breaker/max-connections
            /upstream : pool-size > /proxy-client/max-pool-size-per-server
            /upstream : keepalive-timeout idle-timeout > /proxy-client/idle-timeout
            /upstream : resolver resolvers > /runtime/dns
            /upstream : uri urls > ./nodes
            /upstream/nodes : uri host address addr target server ip port > ./url
            /upstream/nodes : down disabled > nothing: leave the node out, or drain it by `sigma drain`
            /upstream/ssl : verify skip-verify insecure-skip-verify proxy-ssl-verify verify-mode > ./insecure
            /upstream/ssl : ca-file ca-cert root-ca trusted-certificate trusted-ca ca-certificate > ./ca
            /upstream/ssl : sni host name > ./server-name
            /proxy-client : keepalive keep-alive keepalive-connections > nothing: connections to nodes are kept by themselves; "max-pool-size-per-server" is a bound for them
            /proxy-client : max-connections max-conns connections pool-size > ./max-pool-size-per-server
            /proxy-client : keepalive-timeout keep-alive-timeout max-idle-time > ./idle-timeout
            /proxy-client : timeout connect > ./connect-timeout
            /proxy-client : response response-timeout read read-timeout proxy-read-timeout > /proxy-pass/timeout/response
            /proxy-client : send send-timeout write write-timeout proxy-send-timeout > /proxy-pass/timeout/idle
            /proxy-pass/retry : attempts max max-attempts max-retries retries count num-retries > ./tries
            /proxy-pass/timeout : connect connect-timeout connection proxy-connect-timeout > /proxy-client/connect-timeout
            /proxy-pass/timeout : read read-timeout request server timeout response-timeout proxy-read-timeout > ./response
            /proxy-pass/timeout : send send-timeout write write-timeout proxy-send-timeout > ./idle
            /proxy-pass/timeout : tunnel websocket ws > ./tunnel-idle
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : connect connect-timeout connection-timeout proxy-connect-timeout > /proxy-client/connect-timeout
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : response response-timeout server backend upstream proxy-read-timeout > /proxy-pass/timeout/response
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : proxy-send-timeout > /proxy-pass/timeout/idle
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : read read-timeout > "header" for what clients ask; for what nodes answer: "response" in "timeout" of a proxy-pass
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : client http-request client-header client-header-timeout request > ./header
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : send send-timeout write write-timeout > ./send-stall
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : idle idle-timeout http-keep-alive > ./keep-alive
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : queue > /proxy-client/wait-timeout
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : tunnel websocket > /proxy-pass/timeout/tunnel-idle
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : shutdown shutdown-timeout grace grace-period graceful-shutdown > ./drain
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : ssl tls ssl-handshake tls-handshake > ./handshake
            /timeouts,/proxy-server/http/timeouts,/proxy-server/https/timeouts : body client-body client-body-timeout > ./body-idle
            /proxy-server/http,/proxy-server/https : read-timeout client-header-timeout read-header-timeout > ./timeouts/header
            /proxy-server/http,/proxy-server/https : write-timeout send-timeout > ./timeouts/send-stall
            /proxy-server/http,/proxy-server/https : client-body-timeout > ./timeouts/body-idle
            /proxy-server/http,/proxy-server/https : max-body max-request-body client-max-body-size max-body-size > ./limits/body
            /router,/router/route,/proxy-pass : max-body max-request-body client-max-body-size max-body-size max-request-bytes > /plugin/body-limit/max
            /router,/router/route : max-connections max-conns max-requests max-concurrent max-concurrency max-in-flight concurrency > /plugin/concurrency-limit/max
            /proxy-server/http,/proxy-server/https : keepalive keep-alive keepalive-timeout idle-timeout > ./timeouts/keep-alive
            /proxy-server/https : ssl-protocols protocols min-version > ./ssl/min-version
            /proxy-server/https : ssl-certificate cert certificate > ./ssl/certPath
            /proxy-server/https : ssl-certificate-key key > ./ssl/keyPath
            /proxy-server/https/ssl,/proxy-server/tcp/ssl : certificate > ./certPath
            /proxy-server/https/ssl,/proxy-server/tcp/ssl : certificate-key > ./keyPath
            /proxy-server/https : ssl-ciphers ciphers > ./ssl/ciphers
            /proxy-server/https/ssl,/proxy-server/tcp/ssl,/upstream/ssl : protocols protocol ssl-protocols tls-version min-protocol versions > ./min-version
            /plugins/log-config : path log filename file-name output access-log access-log-path > ./file
            /plugins/log-config : log-format template pattern layout type > ./format
            /plugins/log-config : level > nothing: `sigma log-level` sets levels of Sigma's own log
            /plugins : error-page errors intercept-errors > ./error-pages
            /plugins : redirect-https ssl-redirect force-https https-redirect redirect-to-https > ./http-redirect-https
            /plugins/error-pages : 4xx 5xx default > one status each, such as "502"; those of a class are in "pages" of the plugin "error-pages"
            /runtime : threads workers worker-processes io-threads event-loops concurrency > -instance N of `sigma run`
            /runtime : resolver resolvers nameserver name-servers > ./dns/servers
            /router : set-real-ip-from real-ip-header real-ip forwarded-headers trusted-ips trust-proxy > ./trusted-proxies
            /router/route : strip-prefix strip-path rewrite rewrite-path url-rewrite > /plugin/rewrite-path
            /plugin/rewrite-path : to target replace replace-with replace-by rewrite uri > ./replacement
            /plugin/rewrite-path : from match pattern regex path prefix > ./regexp
            /plugin/redirect : location url target uri replacement destination > ./to
            /plugin/redirect : from match pattern regex path > ./regexp
            /plugin/redirect : code permanent status-code > ./status
            /plugin/respond : return text message content response-body > ./body
            /plugin/respond : code status-code > ./status
            /plugin/traffic-split : weight weights percent upstreams targets proxy-pass-id > ./splits
            /plugin/traffic-split/splits : weight percentage share ratio > ./percent
            /plugin/traffic-split/splits,/plugin/mirror : upstream upstream-id service target to backend > ./proxy-pass-id
            /plugin/mirror : percentage sample ratio weight > ./percent
            /plugin/ip-restriction : whitelist allowlist allow-list source-range cidrs white-list > ./allow
            /plugin/ip-restriction : blacklist denylist deny-list black-list block > ./deny
            /plugin/body-limit : allowed-payload-size max-size size limit max-request-body-bytes client-max-body-size > ./max
            /plugin/rate-limit : rate requests limit average second minute hour count rps max > ./limits
            /plugin/rate-limit : burst > ./limits/burst
            /plugin/rate-limit : window period per interval time-window > ./limits/per
            /plugin/rate-limit : key key-type limit-by > ./by
            /plugin/rate-limit/limits : burst-size bucket capacity burst-capacity > ./burst
            /plugin/rate-limit/limits : rate limit count average max > ./requests
            /plugin/rate-limit/limits : window period interval time-window unit > ./per
            /plugin/jwt : secret key public-key signing-key shared-secret > ./keys
            /plugin/jwt : aud audiences > ./audience
            /plugin/jwt : iss issuers > ./issuer
            /plugin/jwt : jwks jwks-uri jwk-set-uri jwk-set remote-jwks > ./jwks-url
            /plugin/key-auth : key keys > ./consumers/keys
            /plugin/key-auth : key-names header headers header-name > ./from
            /plugin/basic-auth,/plugin/key-auth : users credentials user username > ./consumers
            /plugin/basic-auth : auth-basic-user-file htpasswd users-file user-file > ./file
            /plugin/static-resources : try-files spa not-found index-file fall-back > ./fallback
            /plugin/static-resources : path dir folder directory alias > ./root
            /plugin/key-auth/consumers : plan tier > "fields": { "X-Consumer-Plan": … }, which says the plan
            /plugin/rewrite-path : strip-prefix strip > "regexp": "^/a(/|$)" and "replacement": "/", which cut off /a
            /plugin/key-auth/from,/plugin/jwt/from : header header-name > ./field
            /plugin/static-resources : autoindex directory-listing browse > nothing: folders are never listed
            /plugin/cors : origins allow-origin allowed-origins access-control-allow-origin > ./allow-origins
            /plugin/cors : methods allowed-methods > ./allow-methods
            /plugin/cors : headers allowed-headers > ./allow-headers
            /plugin/cors : credentials > ./allow-credentials
            /plugin/cors : exposed-headers > ./expose-headers
            /proxy-server/http,/proxy-server/https : virtual-host > /router/virtual-host
            /router/route,/router : upstream-id > "upstream-id" of a proxy-pass, which a route names in "proxy-pass-id"
            /router : rule > "virtual-host" of the router, and "path" of a route
            /router/route : rule > "path", "header" and "query"; the host is "virtual-host" of the router
            /upstream : ip-hash > "rule-strategy": "source-hash"
            /upstream : least-conn least-connections least-request > "rule-strategy": "least-connections"
            /upstream : random round-robin p2c > "rule-strategy" of that name
            /upstream : backup > ./nodes/backup
            /upstream/sticky : cookie cookie-name > ./name
            /upstream/sticky : expires ttl lifetime > ./max-age
            /plugin/gzip,/plugin/compression : types gzip-types mime-types content-type > ./content-types
            /plugin/gzip,/plugin/compression : gzip-min-length minimum-size min-size > ./min-length
            /plugin/gzip : level comp-level gzip-comp-level > ./compression-level
            /plugin/compression : algorithm algorithms encoding > ./encodings
            /proxy-server/https/ssl/acme : domains domain hosts host names name server-name > ./server-names
            /proxy-server/https/ssl/acme : storage path dir cache store > ./folder
            /proxy-server/https/ssl/acme : tos agree-tos accept-tos agree > ./terms-of-service-agreed
            /proxy-server/https/ssl/acme : ca-server server url issuer > ./directory
            /proxy-server/https/ssl/acme : contact mail > ./email
            /proxy-server : http2 h2 h2c > ./http/http2
            /proxy-server : http3 h3 quic > nothing: Sigma speaks HTTP/1.1 and HTTP/2
            /proxy-server : grpc > nothing: gRPC comes over "http" and "https"
            /proxy-server/http,/proxy-server/https : max-connections max-conns > ./limits/connections
            /proxy-server/http,/proxy-server/https : proxy-protocol > /proxy-server/tcp/proxy-protocol
            /proxy-server/http,/proxy-server/https,/proxy-server/tcp,/router,/router/route,/proxy-pass,/upstream : name > ./id
            /router : priority order precedence > nothing: the most specific "virtual-host" comes first
            /router/route : priority order precedence > nothing: the most specific "path" comes first, then the order written
            /router/route : regex regexp path-regex pattern > "path" with parameters, as /a/:id, or the "regexp" of a "header" or "query"
            /router/route : timeouts > /proxy-pass/timeout
            /router/route,/router : tags labels annotations > /plugin/metadata
            /proxy-pass : host host-header host-rewrite pass-host-header > ./preserve-host
            /proxy-pass : read-timeout proxy-read-timeout response-timeout > ./timeout/response
            /proxy-pass : send-timeout proxy-send-timeout > ./timeout/idle
            /proxy-pass : url uri nodes server servers targets > /upstream/nodes
            /proxy-pass : http2 h2 h2c protocol > /upstream/protocol
            /upstream : type > "discovery" for where nodes come from, "rule-strategy" for which of them is taken
            /upstream : zone > ./nodes/zone
            /upstream : slow-start > ./health/passive/slow-start
            /upstream,/upstream/nodes : host-header pass-host > /proxy-pass/preserve-host
            /upstream/nodes : max-connections max-conns > /proxy-client/max-pool-size-per-server
            /upstream/nodes : slow-start > /upstream/health/passive/slow-start
            /upstream/nodes : priority > ./backup
            : http > /proxy-server/http
            : spring > "router", "proxy-pass" and "upstream", at the top, for the routes of cloud.gateway
            : https > /proxy-server/https
            : tcp stream > /proxy-server/tcp
            : udp > /proxy-server/udp
            : bolt > /proxy-server/bolt
            : certificates > /proxy-server/https/ssl/certificates
            : providers includes > /include
            : api > /proxy-server/admin
            : dns > /runtime/dns
            : user group > nothing: Sigma runs as the user who starts it
            : log-config access-log access-logs log-format logging log > /plugins/log-config
            : error-pages error-page error-pages > /plugins/error-pages
            : http-redirect-https > /plugins/http-redirect-https
            : plugin filter filters middleware middlewares > "plugin" of a server, router, route or proxy-pass
            : keepalive keep-alive keepalive-timeout > /timeouts/keep-alive
            * : websocket websockets ws enable-websocket > nothing: WebSocket passes without any setting
            /plugin,/router,/router/route,/proxy-pass : when > "when" within the settings of a plugin, for that one
            * : whitelist ip-allow allowlist allow-list ip-whitelist ip-allowlist source-range allow > /plugin/ip-restriction/allow
            * : blacklist denylist deny-list ip-blacklist deny block > /plugin/ip-restriction/deny
            * : return > the plugin "respond", or "redirect" for a status such as 301
            * : maintenance static-response direct-response fixed-response mock request-termination > /plugin/respond
            * : request-size-limiting request-size request-body-limit > /plugin/body-limit
            * : read-timeout proxy-read-timeout response-timeout > /proxy-pass/timeout/response
            * : send-timeout proxy-send-timeout write-timeout > /proxy-pass/timeout/idle
            * : connect-timeout connection-timeout proxy-connect-timeout > /proxy-client/connect-timeout
            * : client-header-timeout > /timeouts/header
            * : client-body-timeout > /timeouts/body-idle
            * : client-max-body-size max-body-size > /limits/body
            * : worker-connections max-connections > /limits/connections
            * : max-body max-request-body > /limits/body
            * : try-files > /plugin/static-resources/fallback
            * : root alias file-server static static-files > /plugin/static-resources
            * : ssl-protocols protocols min-version tls-version min-tls-version > /proxy-server/https/ssl/min-version
            * : consumers consumer users > /plugin/key-auth/consumers
            * : limit-count rate-limiting rate-limiter limit-req request-rate-limiter ratelimit local-ratelimit > /plugin/rate-limit
            * : in-flight-req limit-conn > /plugin/concurrency-limit
            * : auth-basic basicauth > /plugin/basic-auth
            * : auth-request forwardauth ext-authz > /plugin/forward-auth
            * : jwt-auth > /plugin/jwt
            * : openid-connect oidc-auth > /plugin/oidc
            * : oauth2 oauth > the plugin "oidc" for logins in a browser, "jwt" for tokens that clients bring
            * : proxy-rewrite add-prefix replace-path replace-path-regex set-path prefix-path > /plugin/rewrite-path
            * : add-request-header set-request-header remove-request-header add-response-header set-response-header remove-response-header response-transformer > /plugin/headers
            * : api-breaker > /upstream/breaker
            * : compress encode gzip-types brotli > /plugin/compression
            * : redirect-scheme ssl-redirect force-ssl force-https https-redirect redirect-to-https > /plugin/http-redirect-https
            * : redirect-regex redirections > /plugin/redirect
            * : canary split-clients weighted-clusters weighted > /plugin/traffic-split
            * : request-mirror-policy mirroring shadow > /plugin/mirror
            * : correlation-id request-id-header > /plugin/request-id
            * : error-page errors intercept-errors > /plugin/error-pages
            * : acme lets-encrypt cert-resolver certificates-resolvers > /proxy-server/https/ssl/acme
            * : http3 h3 quic > nothing: Sigma speaks HTTP/1.1 and HTTP/2
            * : cache proxy-cache proxy-cache-path > nothing: Sigma keeps no answers
            * : proxy-buffering proxy-request-buffering buffering > nothing: bodies pass as they come
            * : tracing opentelemetry otel zipkin jaeger > nothing: Sigma sends no traces
            * : error-log log-level > nothing: Sigma's own log is on standard error, and `sigma log-level` sets its levels
            * : expires cache-control > /plugin/headers
            * : index > /plugin/static-resources/index
            * : limit-req-zone > /plugin/rate-limit
            * : limit-conn-zone > /plugin/concurrency-limit
            * : preserve-host pass-host-header > /proxy-pass/preserve-host
            * : set-real-ip-from real-ip-header real-ip forwarded-headers > /router/trusted-proxies
            * : resolver resolvers > /runtime/dns
            """;

    private static final Map<String, Map<String, String>> TARGETS = new HashMap<>();

    static {
        for (Line line : lines()) {
            for (String place : line.places) {
                Map<String, String> there = TARGETS.computeIfAbsent(place, _ -> new HashMap<>());
                line.keys.forEach(key -> there.putIfAbsent(ForeignWord.plain(key), target(line.target, place)));
            }
        }
    }

    private PlacedKey() {}

    /**
     * A line of the table.
     *
     * @param target as it is written there
     */
    record Line(List<String> places, List<String> keys, String target) {}

    static List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        for (String line : TABLE.lines().toList()) {
            int colon = line.indexOf(':');
            int arrow = line.indexOf('>', colon);
            lines.add(new Line(
                    Arrays.asList(line.substring(0, colon).strip().split(",", -1)),
                    List.of(line.substring(colon + 1, arrow).strip().split(" +")),
                    line.substring(arrow + 1).strip()));
        }
        return lines;
    }

    /** The pointer that is meant at a place, or words. */
    static String target(String target, String place) {
        return target.startsWith("./") ? place + target.substring(1) : target;
    }

    /** Whether people write there what belongs elsewhere. */
    static boolean isHolder(String place) {
        return HOLDING.contains(place);
    }

    /** The place of an object, by its pointer. */
    static String place(String pointer) {
        StringBuilder place = new StringBuilder();
        for (String step : pointer.split("/", -1)) {
            if (step.equals(PLUGIN) && !place.toString().startsWith("/plugin/")) {
                place.setLength(0);
            }
            if (!step.isEmpty() && !step.chars().allMatch(c -> c >= '0' && c <= '9')) {
                place.append('/').append(step);
            }
        }
        return place.toString();
    }

    /** Where Sigma has what a key says that people write at that place: a pointer without indices, or words; null where that isn't known. */
    static @Nullable String at(String key, String place) {
        return TARGETS.getOrDefault(place, Map.of()).get(ForeignWord.plain(key));
    }

    /** The same of a key that people write at any place that holds others. */
    static @Nullable String anywhere(String key, String place) {
        return isHolder(place) ? at(key, HOLDERS) : null;
    }

    /** The key that is meant, where it is one of those known at the place; null where it isn't. */
    static @Nullable String here(String target, String place, Collection<String> known) {
        if (!target.startsWith(place + "/")) {
            return null;
        }
        String rest = target.substring(place.length() + 1);
        int slash = rest.indexOf('/');
        // Of plugins the name is what they lack; elsewhere it is what stands in it.
        String step = slash < 0 || place.equals("/plugin") ? rest.split("/", -1)[0] : "";
        return known.contains(step) ? step : null;
    }

    /** A target in words. */
    static String words(String target, String place) {
        if (!target.startsWith("/")) {
            return target;
        }
        List<String> steps = List.of(target.substring(1).split("/", -1));
        boolean within = !place.isEmpty() && target.startsWith(place + "/");
        int from = within ? place.substring(1).split("/", -1).length : 0;
        boolean ofPlugin = !within && steps.getFirst().equals(PLUGIN);
        String last = (ofPlugin && steps.size() == 2 ? "the plugin " : "") + Json.quoted(steps.getLast());
        StringBuilder words = new StringBuilder(last);
        for (int i = steps.size() - 2; i >= from; i--) {
            words.append(ofPlugin && i < 2 ? plugin(steps.get(i)) : holder(steps, i));
        }
        return words.toString();
    }

    private static String plugin(String step) {
        return step.equals(PLUGIN) ? "" : " of the plugin " + Json.quoted(step);
    }

    private static String holder(List<String> steps, int at) {
        String step = steps.get(at);
        return switch (step) {
            case "router", "route", "proxy-pass" -> " of a " + step;
            case "upstream" -> " of an upstream";
            case "nodes" -> " of a node in \"nodes\"";
            case "http", "https", "tcp" ->
                at == 1 ? " of a server in \"proxy-server." + step + '"' : " in " + Json.quoted(step);
            case "proxy-server" -> steps.size() > 2 ? "" : " of \"proxy-server\"";
            default -> (at == 0 ? " of " : " in ") + Json.quoted(step);
        };
    }
}
