package net.oooops.sigma.examples;

import static net.oooops.sigma.examples.Promise.fromNodes;
import static net.oooops.sigma.examples.Promise.own;

import java.util.List;
import java.util.Map;

/** What each example is to do; the first promise of each is that of its row in the README. */
final class Promises {
    static final Map<String, List<Promise>> BY_FILE = Map.ofEntries(
            Map.entry("minimal.json", minimal()),
            Map.entry("virtual-hosts.json", virtualHosts()),
            Map.entry("balancing.json", balancing()),
            Map.entry("breakers-and-backups.json", breakersAndBackups()),
            Map.entry("hedging.json", hedging()),
            Map.entry(
                    "traffic-split.json",
                    List.of(fromNodes("curl -i -H 'Cookie: way=next' http://localhost:8080/", "9002 GET /"))),
            Map.entry(
                    "mirror.json",
                    List.of(fromNodes("curl -i http://localhost:8080/hello", "9001 GET /hello")
                            .besideOthers())),
            Map.entry(
                    "forward-auth.json",
                    List.of(fromNodes(
                                    "curl -i -H 'X-Auth-Groups: root' http://localhost:8080/private/hello",
                                    "9001 GET /private/hello")
                            .node("X-Auth-Groups")
                            .besideOthers())),
            Map.entry("oidc.json", List.of(own("curl -i http://localhost:8080/orders", 401, "Log in first."))),
            Map.entry("affinity.json", List.of(fromNodes("curl -i http://localhost:8080/cart/", "9001 GET /cart/"))),
            Map.entry("several-files.json", severalFiles()),
            Map.entry("yaml.yaml", List.of(fromNodes("curl -i http://localhost:8080/hello", "9002 GET /hello"))),
            Map.entry("rewrite-and-headers.json", rewriteAndHeaders()),
            Map.entry("transforming.json", transforming()),
            Map.entry("metadata.json", metadata()),
            Map.entry("redirects-and-fixed-answers.json", redirectsAndFixedAnswers()),
            Map.entry("protecting.json", protecting()),
            Map.entry("cors-and-security-headers.json", corsAndSecurityHeaders()),
            Map.entry("behind-a-load-balancer.json", behindALoadBalancer()),
            Map.entry("rate-limit.json", rateLimit()),
            Map.entry("plans.json", plans()),
            Map.entry(
                    "shared-rate-limit.json",
                    List.of(fromNodes("curl -i 'http://localhost:8080/api/[1-2]'", "9001 GET /api/1", "9001 GET /api/2")
                            .client("RateLimit-Policy", "\"1m\";q=100;w=60"))),
            Map.entry("limits-and-timeouts.json", limitsAndTimeouts()),
            Map.entry("access-log.json", accessLog()),
            Map.entry(
                    "error-pages.json",
                    List.of(
                            own("curl -i http://localhost:8080/nothing", 404, "<h1>")
                                    .client("Content-Type", "text/html; charset=utf-8"),
                            fromNodes("curl -i http://localhost:8080/shop/7", "9001 GET /shop/7"))),
            Map.entry(
                    "static-files.json",
                    List.of(
                            own("curl -i http://localhost:8080/files/doc", 301, "")
                                    .client("Location", "./doc/"),
                            own("curl -i http://localhost:8080/files/nothing-of-that-name", 404, ""),
                            fromNodes("curl -i http://localhost:8080/orders/7", "9001 GET /orders/7"))),
            Map.entry("conditions.json", conditions()),
            Map.entry(
                    "sub-router.json",
                    List.of(
                            fromNodes("curl -i http://localhost:8080/api/v2/orders/7", "9001 GET /orders/7")
                                    .node("X-Api-Version", "2"),
                            fromNodes("curl -i http://localhost:8080/api/v1/users/ann", "9002 GET /users/ann")
                                    .node("X-Api-Version"),
                            fromNodes("curl -i http://localhost:8080/api/v1/else", "9003 GET /api/v1/else"))),
            Map.entry("plugins-when-and-shadow.json", whenAndShadow()),
            Map.entry("api-keys.json", apiKeys()),
            Map.entry("basic-auth.json", basicAuth()),
            Map.entry("jwt.json", jwt()),
            Map.entry("tcp.json", List.of(fromNodes("curl -i http://localhost:8080/hello", "9001 GET /hello"))),
            Map.entry("udp.json", List.of(own("dig @127.0.0.1 -p 8053 example.com", 0, ""))),
            Map.entry("bolt.json", List.of(fromNodes("curl -i http://localhost:8081/hello", "9002 GET /hello"))),
            Map.entry("admin.json", List.of(own("curl -i http://localhost:9901/nodes", 200, "\"health\":\"healthy\""))),
            Map.entry(
                    "changing-nodes.json",
                    List.of(
                            fromNodes(
                                    "curl -s 'http://localhost:8080/[1-3]'",
                                    "9002 GET /1",
                                    "9001 GET /2",
                                    "9002 GET /3"),
                            own("curl -i http://localhost:8080/orders/7", 503, ""))),
            Map.entry(
                    "websocket.json",
                    List.of(
                            fromNodes("curl -i http://localhost:8080/chat/room", "9001 GET /chat/room"),
                            fromNodes("curl -i http://localhost:8080/", "9003 GET /"))),
            Map.entry(
                    "connect.json",
                    List.of(
                            own("curl -i -p -x http://localhost:8080 http://example.com/", 200, ""),
                            fromNodes("curl -i http://localhost:8080/", "9003 GET /"))),
            Map.entry("https.json", List.of(https())),
            Map.entry("https-degrade-http.json", degraded()),
            Map.entry("client-certificate.json", clientCertificate()),
            Map.entry("https-nodes.json", httpsNodes()),
            Map.entry("tls-sessions.json", tlsSessions()),
            Map.entry("http2-and-grpc.json", http2AndGrpc()),
            Map.entry("grpc-web.json", List.of(grpcWeb())),
            Map.entry(
                    "compression.json",
                    List.of(
                            fromNodes("curl -i http://localhost:8080/hello", "9001 GET /hello"),
                            fromNodes("curl -i -H 'Accept-Encoding: br;q=0.5' http://localhost:8080/a", "9001 GET /a")
                                    .node("Accept-Encoding"))),
            Map.entry(
                    "acme.json",
                    List.of(own("curl -i http://localhost:8080/hello", 308, "")
                            .client("Location", "https://localhost:8443/hello"))),
            Map.entry("health.json", List.of(fromNodes("curl -i http://localhost:8080/hello", "9001 GET /hello"))),
            Map.entry("runtime.json", List.of(fromNodes("curl -i http://localhost:8080/", "9001 GET /"))),
            Map.entry("options.json", List.of(fromNodes("curl -i http://localhost:8080/", "9001 GET /"))));

    private Promises() {}

    private static List<Promise> minimal() {
        return List.of(
                fromNodes("curl -i http://localhost:8080/hello", "9001 GET /hello")
                        .client("Server", "node")
                        .node("Host", "localhost:8080")
                        .node("X-Forwarded-For", "127.0.0.1"),
                fromNodes("curl -i -d a=b http://localhost:8080/form?c=d", "9001 POST /form?c=d")
                        .node("Content-Length", "3"));
    }

    private static Promise https() {
        String line = "curl -i --cacert examples/certificates/ca.crt https://localhost:8443/hello";
        return fromNodes(line, "9001 GET /hello").node("X-Forwarded-Proto", "https");
    }

    private static List<Promise> clientCertificate() {
        String line = "curl -i --cacert examples/certificates/ca.crt https://localhost:8443/";
        return List.of(
                own(line + "api/hello", 401, "A known certificate is asked for.")
                        .client("WWW-Authenticate", "ClientCertificate realm=\"sigma\""),
                fromNodes(line + "hello", "9001 GET /hello").node("X-Consumer-Id"));
    }

    /** Whichever version a client speaks. */
    private static List<Promise> http2AndGrpc() {
        String line = "curl -i --cacert examples/certificates/ca.crt https://localhost:8443/";
        return List.of(
                fromNodes(line + "hello", "9003 GET /hello"),
                fromNodes(line + "helloworld.Greeter/SayHello", "9001 GET /helloworld.Greeter/SayHello"),
                fromNodes(line + "shop.Orders/List", "9002 GET /shop.Orders/List"));
    }

    private static Promise grpcWeb() {
        String line = "curl -i -X OPTIONS -H 'Origin: http://localhost:3000' -H 'Access-Control-Request-Method: POST'"
                + " http://localhost:8080/helloworld.Greeter/SayHello";
        return own(line, 204, "").client("Access-Control-Allow-Origin", "http://localhost:3000");
    }

    private static List<Promise> degraded() {
        String encrypted = "curl -i --cacert examples/certificates/ca.crt https://localhost:8443/";
        return List.of(
                own(encrypted + "firmware/7", 307, "").client("Location", "http://localhost:8080/firmware/7"),
                fromNodes("curl -i http://localhost:8080/firmware/7", "9002 GET /firmware/7"),
                own("curl -i http://localhost:8080/hello", 308, "").client("Location", "https://localhost:8443/hello"),
                fromNodes(encrypted + "hello", "9001 GET /hello"));
    }

    private static List<Promise> tlsSessions() {
        String line = "curl -i --cacert examples/certificates/ca.crt https://localhost:";
        return List.of(
                fromNodes(line + "8443/hello", "9001 GET /hello"), fromNodes(line + "8444/hello", "9001 GET /hello"));
    }

    private static List<Promise> httpsNodes() {
        return List.of(
                own("curl -iL --cacert examples/certificates/ca.crt http://localhost:8080/hello", 308, "")
                        .client("Location", "https://localhost:8443/hello"),
                https());
    }

    private static List<Promise> transforming() {
        return List.of(
                fromNodes(
                                "curl -i 'http://localhost:8080/tenants/7/search?q=a&debug=1'",
                                "9001 GET /tenants/7/search?query=a&version=2")
                        .client("Server")
                        .client("X-Route", "tenants")
                        .node("X-Tenant", "7")
                        .node("X-Real-Ip", "127.0.0.1"),
                fromNodes("curl -i -H 'X-Request-Id: mine' http://localhost:8080/a?b", "9001 GET /a?b")
                        .client("X-Route")
                        .client("Server"));
    }

    private static List<Promise> metadata() {
        return List.of(
                fromNodes("curl -i -H 'X-Team: forged' http://localhost:8080/orders/7", "9001 GET /orders/7")
                        .node("X-Team", "orders")
                        .client("X-Tier", "1"),
                fromNodes("curl -i http://localhost:8080/a", "9001 GET /a").client("X-Tier", "3"));
    }

    private static List<Promise> redirectsAndFixedAnswers() {
        return List.of(
                own("curl -i 'http://localhost:8080/shop/7?a=b'", 301, "").client("Location", "/products/7?a=b"),
                own("curl -i http://localhost:8080/blog/2024/a/b", 302, "")
                        .client("Location", "https://blog.example.com/a/b?year=2024"),
                fromNodes("curl -i http://localhost:8080/blog/", "9001 GET /blog/"),
                own("curl -i http://localhost:8080/robots.txt", 200, "Disallow: /api/\n"),
                own("curl -i http://localhost:8080/api/orders/7", 503, "{\"error\":\"closed\"")
                        .client("Content-Type", "application/json")
                        .client("Retry-After", "3600"));
    }

    private static List<Promise> protecting() {
        String crossSite = "curl -i -H 'Sec-Fetch-Site: cross-site' ";
        String large = "head -c 8193 /dev/zero | curl -i --data-binary @- http://localhost:8080/";
        return List.of(
                own(crossSite + "-d a=b http://localhost:8080/comments/", 403, ""),
                fromNodes(crossSite + "-d a=b http://localhost:8080/webhooks/a", "9001 POST /webhooks/a"),
                fromNodes(
                        "curl -i -H 'Origin: https://app.example.com' -d a=b http://localhost:8080/comments/",
                        "9001 POST /comments/"),
                fromNodes("curl -i http://localhost:8080/internal/a", "9001 GET /internal/a"),
                own(large + "comments/", 413, ""),
                fromNodes(large + "a", "9001 POST /a"),
                own("curl -i -H 'X-Fault: 1' http://localhost:8080/a", 503, ""));
    }

    private static List<Promise> virtualHosts() {
        return List.of(
                fromNodes("curl -i -H 'Host: shop.example.com' http://localhost:8080/", "9001 GET /"),
                fromNodes("curl -i -H 'Host: example.com:8080' http://localhost:8080/", "9002 GET /"),
                fromNodes("curl -i -H 'Host: WWW.Example.com' http://localhost:8080/", "9002 GET /"),
                fromNodes("curl -i -H 'Host: mary.example.com' http://localhost:8080/", "9003 GET /"),
                fromNodes("curl -i -H 'Host: a.mary.example.com' http://localhost:8080/", "9003 GET /"),
                own("curl -i http://localhost:8080/", 404, ""));
    }

    private static List<Promise> balancing() {
        return List.of(
                fromNodes(
                        "curl -s 'http://localhost:8080/app/[1-5]'",
                        "9001 GET /app/1",
                        "9002 GET /app/2",
                        "9001 GET /app/3",
                        "9003 GET /app/4",
                        "9001 GET /app/5"),
                own("curl -i http://localhost:8080/", 404, ""));
    }

    private static List<Promise> hedging() {
        return List.of(fromNodes("curl -s 'http://localhost:8080/[1-3]'", "9001 GET /1", "9002 GET /2", "9001 GET /3"));
    }

    private static List<Promise> breakersAndBackups() {
        return List.of(fromNodes("curl -s 'http://localhost:8080/[1-3]'", "9001 GET /1", "9001 GET /2", "9001 GET /3"));
    }

    private static List<Promise> severalFiles() {
        return List.of(
                fromNodes("curl -i http://localhost:8080/orders/7", "9001 GET /orders/7")
                        .node("Authorization", "Bearer of-an-example"),
                fromNodes("curl -i http://localhost:8080/", "9002 GET /").node("Authorization"));
    }

    private static List<Promise> rewriteAndHeaders() {
        return List.of(
                fromNodes("curl -i -H 'Cookie: a=b' http://localhost:8080/api/orders/7", "9001 GET /orders/7")
                        .client("Link", "</app.css>; rel=preload", "</app.js>; rel=preload")
                        .client("Server")
                        .node("X-Env", "test")
                        .node("Cookie")
                        .node("X-Forwarded-Host", "localhost:8080"),
                fromNodes("curl -i http://localhost:8080/users/7?all=1", "9001 GET /people/7/profile?all=1"),
                fromNodes("curl -i http://localhost:8080/users/mary", "9001 GET /users/mary"),
                fromNodes("curl -i http://localhost:8080/api", "9001 GET /"));
    }

    private static List<Promise> rateLimit() {
        return List.of(
                fromNodes("curl -i 'http://localhost:8080/api/[1-2]'", "9001 GET /api/1", "9001 GET /api/2")
                        .client("RateLimit-Policy", "\"1m\";q=2;w=60, \"hourly\";q=100;w=3600"),
                own("curl -i http://localhost:8080/api/3", 429, "Too many requests"),
                fromNodes("curl -i http://localhost:8080/search", "9001 GET /search"));
    }

    private static List<Promise> plans() {
        return List.of(
                fromNodes(
                                "curl -i -H 'X-Api-Key: of-an-example-0123456789' 'http://localhost:8080/api/[1-2]'",
                                "9001 GET /api/1",
                                "9001 GET /api/2")
                        .client("RateLimit-Policy", "\"1s\";q=100;w=1"),
                fromNodes(
                                "curl -i -H 'X-Api-Key: partner-example-0123456789' http://localhost:8080/api/3",
                                "9001 GET /api/3")
                        .client("RateLimit-Policy", "\"1s\";q=10;w=1"),
                fromNodes("curl -i http://localhost:8080/api/4", "9001 GET /api/4")
                        .client("RateLimit-Policy", "\"1s\";q=1;w=1"));
    }

    private static List<Promise> corsAndSecurityHeaders() {
        String policy = "default-src 'self'; img-src 'self' https://img.example.com data:; frame-ancestors 'none'";
        return List.of(
                fromNodes(
                                "curl -i -H 'Origin: https://app.example.com' -H 'X-Forwarded-Proto: https'"
                                        + " http://localhost:8080/api/me",
                                "9001 GET /api/me")
                        .client("X-Frame-Options", "DENY")
                        .client("Content-Security-Policy", policy)
                        .client("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
                        .client("Access-Control-Allow-Origin", "https://app.example.com")
                        .client("Access-Control-Allow-Credentials", "true")
                        .client("Access-Control-Expose-Headers", "X-Request-Id")
                        .client("Vary", "Origin"),
                fromNodes(
                                "curl -i -H 'Origin: https://elsewhere.example' http://localhost:8080/api/me",
                                "9001 GET /api/me")
                        .client("X-Frame-Options", "DENY")
                        .client("Strict-Transport-Security")
                        .client("Access-Control-Allow-Origin"),
                own(
                                "curl -i -X OPTIONS -H 'Origin: https://a.test.example.com'"
                                        + " -H 'Access-Control-Request-Method: PUT' http://localhost:8080/api/me",
                                204,
                                "")
                        .client("Access-Control-Allow-Origin", "https://a.test.example.com")
                        .client("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
                        .client("Access-Control-Max-Age", "3600"),
                fromNodes("curl -i -H 'Origin: https://app.example.com' http://localhost:8080/", "9001 GET /")
                        .client("X-Frame-Options", "DENY")
                        .client("Content-Security-Policy", policy)
                        .client("Access-Control-Allow-Origin"));
    }

    private static List<Promise> behindALoadBalancer() {
        return List.of(fromNodes(
                        "curl -i -H 'X-Forwarded-For: 203.0.113.7' -H 'X-Forwarded-Proto: https' http://localhost:8080/",
                        "9001 GET /")
                .node("X-Forwarded-For", "203.0.113.7, 127.0.0.1")
                .node("X-Forwarded-Proto", "https"));
    }

    private static List<Promise> limitsAndTimeouts() {
        String zeroes = "head -c 100000 /dev/zero | curl -i --data-binary @- http://localhost:";
        String longLine = "/" + "a".repeat(5000);
        return List.of(
                own(zeroes + "8080/upload", 413, ""),
                fromNodes(zeroes + "8081/upload", "9001 POST /upload").node("Content-Length", "100000"),
                fromNodes("curl -i http://localhost:8080/reports/1", "9001 GET /reports/1"),
                own("curl -i http://localhost:8080" + longLine, 414, ""),
                own("curl -i http://localhost:8081" + longLine, 414, ""));
    }

    private static List<Promise> accessLog() {
        return List.of(
                own("curl -i http://localhost:8080/nothing", 404, "<h1>Nothing here</h1>")
                        .client("Content-Type", "text/html; charset=utf-8"),
                fromNodes("curl -i http://localhost:8080/app/", "9001 GET /app/"));
    }

    private static List<Promise> whenAndShadow() {
        return List.of(
                fromNodes("curl -i -d a=b http://localhost:8080/orders/", "9001 POST /orders/")
                        .node("X-Written-From", "outside"),
                fromNodes("curl -i http://localhost:8080/orders/", "9001 GET /orders/")
                        .node("X-Written-From"),
                fromNodes("curl -i -H 'X-Beta: yes' http://localhost:8080/old/a", "9001 GET /old/a"),
                fromNodes("curl -i http://localhost:8080/old/a?beta=1", "9001 GET /old/a?beta=1"));
    }

    private static List<Promise> apiKeys() {
        String line = "curl -i -H 'X-Api-Key: of-an-example-0123456789' http://localhost:8080/api/hello";
        return List.of(
                fromNodes(line, "9001 GET /api/hello")
                        .node("X-Consumer-Id", "shop")
                        .node("X-Consumer-Plan", "gold")
                        .node("X-Api-Key"),
                own("curl -i http://localhost:8080/api/hello", 401, "")
                        .client("WWW-Authenticate", "ApiKey realm=\"sigma\""));
    }

    private static List<Promise> basicAuth() {
        return List.of(
                fromNodes("curl -i -u 'ada:open sesame' http://localhost:8080/hello", "9001 GET /hello")
                        .node("X-Consumer-Id", "ada")
                        .node("Authorization"),
                own("curl -i -u ada:wrong http://localhost:8080/hello", 401, "")
                        .client("WWW-Authenticate", "Basic realm=\"shop\", charset=\"UTF-8\""));
    }

    private static List<Promise> jwt() {
        String token = "eyJhbGciOiJIUzI1NiJ9"
                + ".eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20iLCJzdWIiOiJhZGEiLCJlbWFpbCI6ImFkYUBleGFtcGxlLmNvbSIsImV4cCI6NDEwMjQ0NDgwMH0"
                + ".VQjav2MWguao4lw7UQv1mFFydq8EW0P81vUH3CFuY7A";
        String line = "curl -i -H 'Authorization: Bearer " + token + "' http://localhost:8080/api/hello";
        return List.of(
                fromNodes(line, "9001 GET /api/hello")
                        .node("X-Consumer-Id", "ada")
                        .node("X-Consumer-Email", "ada@example.com"),
                own("curl -i http://localhost:8080/api/hello", 401, "")
                        .client("WWW-Authenticate", "Bearer realm=\"sigma\""));
    }

    private static List<Promise> conditions() {
        return List.of(
                fromNodes("curl -i -H 'X-Canary: yes' http://localhost:8080/app/", "9002 GET /app/"),
                fromNodes("curl -i http://localhost:8080/app/?version=2", "9002 GET /app/?version=2"),
                fromNodes("curl -i -H 'X-Canary: no' http://localhost:8080/app/?version=4", "9001 GET /app/?version=4"),
                fromNodes(
                        "curl -i -H 'Content-Type: application/json' -d {} http://localhost:8080/orders",
                        "9001 POST /orders"),
                own("curl -i -d a=b http://localhost:8080/orders", 415, ""),
                own("curl -i http://localhost:8080/orders", 405, "").client("Allow", "POST"),
                fromNodes("curl -i http://localhost:8080/orders/7", "9001 GET /orders/7"),
                own("curl -i -H 'Accept: text/html' http://localhost:8080/orders/7", 406, ""));
    }
}
