package net.oooops.sigma.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each two of the built-in plugins on one route, in both orders: what passes both does so whole, who answers first is heard, and what a node
 * doesn't answer stays 502. Credentials, where one wants them, are right.
 */
@Tag("long")
class AllPairsTest {
    private static final Set<String> OF_SESSIONS = Set.of("connection-rate");
    private static final String TOKEN = "eyJhbGciOiJIUzI1NiJ9"
            + ".eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoiaHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20iLCJzdWIiOiJhZGEiLCJlbWFpbCI6ImFkYUBleGFtcGxlLmNvbSIsImV4cCI6NDEwMjQ0NDgwMH0"
            + ".VQjav2MWguao4lw7UQv1mFFydq8EW0P81vUH3CFuY7A";
    private static final String FIELDS = "Host: a\r\nX-Api-Key: of-an-example-0123456789\r\nAuthorization: Bearer "
            + TOKEN + "\r\nAccept-Encoding: gzip\r\nCookie: a=b\r\n";
    private static final String BODY = "{\"text\": \"" + "0123456789".repeat(200) + "\"}";
    private static final String SENT = "x".repeat(1000);
    private static final byte[] PACKED = packed(SENT);

    /** What the plugins that answer by themselves answer. */
    private static final Map<String, Integer> ANSWERS =
            Map.of("respond", 418, "redirect", 302, "http-redirect-https", 308, "oidc-login", 302);

    /** {@code oidc} that has everybody log in. */
    private static final String LOGIN = "-login";

    /** RFC 8037 appendix A.2. */
    private static final String KEYS =
            "{\"keys\": [{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"x\": \"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}";

    /** What is a problem in one file, as clients would go to and fro. */
    private static final Set<Set<String>> APART = Set.of(
            Set.of("https-degrade-http", "hsts"),
            Set.of("https-degrade-http", "http-redirect-https"),
            Set.of("oidc", "oidc-login"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("basic-auth", """
                { "optional": true, "consumers": [{ "id": "ada",
                  "password": "$2y$10$JbBtxgCTNH65.U1HhZKLKeSG.x0CdobZ7WOlfZ2fSN3/Wvt033sFS" }] }""");
        settings.put("body-limit", "{ \"max\": \"64KiB\" }");
        settings.put("client-certificate", "{ \"optional\": true, \"any\": true }");
        settings.put("compression", "{}");
        settings.put("concurrency-limit", "{ \"max\": 1000 }");
        settings.put("cors", "{ \"allow-origins\": \"*\" }");
        settings.put("csp", "{ \"directive\": [{ \"name\": \"default-src\", \"value\": \"'self'\" }] }");
        settings.put("csrf", "{}");
        settings.put("decompress-request", "{}");
        settings.put(
                "error-pages", "{ \"pages\": { \"5xx\": { \"content-type\": \"text/plain\", \"body\": \"later\" } } }");
        settings.put("fault-injection", "{ \"delay\": { \"min\": \"1ms\", \"max\": \"2ms\", \"percent\": 100 } }");
        settings.put("forward-auth", "{ \"proxy-pass-id\": \"ROOT\", \"path\": \"/who\" }");
        settings.put("grpc-web", "{}");
        settings.put("gzip", "{}");
        settings.put("headers", "{ \"request\": { \"set-template\": { \"X-Of\": \"{client-address}\" } } }");
        settings.put("hsts", "{}");
        settings.put("http-redirect-https", "{}");
        settings.put("https-degrade-http", "{}");
        settings.put("ip-restriction", "{ \"allow\": [\"127.0.0.0/8\"] }");
        settings.put("jwt", """
                { "keys": [{ "secret": "of-an-example-of-32-bytes-at-least", "algorithm": "HS256" }],
                  "issuer": "https://id.example.com", "audience": "https://api.example.com" }""");
        settings.put("key-auth", """
                { "consumers": [{ "id": "shop",
                  "keys": ["sha256:963754d2670c03adfd1be0ef89006d911cf07c64aa3c61552607d58dbbd626ed"] }] }""");
        settings.put("metadata", "{ \"values\": { \"team\": \"a\" }, \"fields\": { \"team\": \"X-Team\" } }");
        settings.put("mirror", "{ \"proxy-pass-id\": \"ROOT\" }");
        settings.put("oidc", """
                { "issuer": "http://127.0.0.1:1", "proxy-pass-id": "ROOT", "client-id": "a", "unauthenticated": "pass",
                  "callback-url": "http://localhost/oidc/callback", "session-secret": "of-an-example-of-32-characters-at-least" }""");
        settings.put("oidc-login", """
                { "issuer": "http://127.0.0.1:PORT", "proxy-pass-id": "node", "client-id": "a", "unauthenticated": "login",
                  "callback-url": "http://localhost/oidc/callback", "session-secret": "of-an-example-of-32-characters-at-least" }""");
        settings.put("rate-limit", "{ \"limits\": [{ \"requests\": 100000 }] }");
        settings.put("redirect", "{ \"to\": \"/elsewhere$query\" }");
        settings.put("request-id", "{}");
        settings.put("respond", "{ \"status\": 418, \"body\": \"tea\" }");
        settings.put("rewrite-path", "{ \"regexp\": \"^/[a-z]+\", \"replacement\": \"\" }");
        settings.put("rewrite-query", "{ \"set\": { \"v\": \"2\" } }");
        settings.put("server-version", "{}");
        settings.put("set-cookie", "{ \"rules\": [{ \"secure\": true, \"same-site\": \"lax\" }] }");
        settings.put("static-resources", "{ \"root\": \"" + folder + "\", \"missing\": \"pass\" }");
        settings.put("traffic-split", "{ \"splits\": [{ \"proxy-pass-id\": \"ROOT\", \"percent\": 50 }] }");
        settings.put("x-frame", "\"DENY\"");
        return settings;
    }

    /** Routes with each two to that node, or to nobody. */
    private String json(ScriptedUpstream node, String to) {
        StringBuilder routes = new StringBuilder();
        settings()
                .forEach((first, ofFirst) -> settings().forEach((second, ofSecond) -> {
                    if (areRouted(first, second, to)) {
                        routes.append(routes.isEmpty() ? "" : ",").append("""
                                { "id": "%1$s.%2$s.%3$s", "path": "/%1$s/%2$s/%3$s/*", "proxy-pass-id": "%1$s",
                                  "plugin": { "%4$s": %6$s, "%5$s": %7$s } }""".formatted(
                                        to,
                                        first,
                                        second,
                                        first.replace(LOGIN, ""),
                                        second.replace(LOGIN, ""),
                                        ofFirst.replace("ROOT", to),
                                        ofSecond.replace("ROOT", to)));
                    }
                }));
        return """
                {
                  "proxy-server": { "http": { "id": "web" } },
                  "proxy-client": { "wait-timeout": "%s" },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [%s] }],
                  "proxy-pass": [
                    { "id": "node", "upstream-id": "node" },
                    { "id": "nobody", "upstream-id": "nobody", "retry": { "enable": false } }
                  ],
                  "upstream": [
                    { "id": "node", "nodes": ["http://127.0.0.1:%d"] },
                    { "id": "nobody", "nodes": ["http://127.0.0.1:%d"] }
                  ]
                }
                """.formatted(
                        to.equals("node") ? "3s" : "200ms",
                        routes.toString().replace("PORT", Integer.toString(node.port())),
                        node.port(),
                        FreePorts.one());
    }

    private static boolean areRouted(String first, String second, String to) {
        boolean together = !first.equals(second) && !APART.contains(Set.of(first, second));
        return together && (to.equals("node") || second.equals(besideNobody(first)));
    }

    /** The plugin beside which it is tried what becomes of Sigma's own answer: one that changes bodies. */
    private static String besideNobody(String first) {
        return first.equals("compression") ? "gzip" : "compression";
    }

    private static byte[] packed(String text) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    private static Answer answer(ReceivedRequest request) {
        String issuer = "http://" + request.header("Host");
        switch (request.target()) {
            case "/.well-known/openid-configuration" -> {
                return Answer.ok("""
                        { "issuer": "%1$s", "authorization_endpoint": "%1$s/login", "token_endpoint": "%1$s/token",
                          "jwks_uri": "%1$s/keys" }""".formatted(issuer)).header("Content-Type", "application/json");
            }
            case "/keys" -> {
                return Answer.ok(KEYS).header("Content-Type", "application/json");
            }
            default -> {
                return ofNode(request);
            }
        }
    }

    private static Answer ofNode(ReceivedRequest request) {
        return Answer.ok(BODY)
                .header("Content-Type", "application/json")
                .header("Set-Cookie", "session=1")
                .header("Server", "node")
                .header("X-Coding", Objects.requireNonNullElse(request.header("Content-Encoding"), "none"))
                .header("X-Length", String.valueOf(request.bodyBytes()));
    }

    /** Every plugin for requests takes part: a new one is missed here. */
    @Test
    void allTakePart() {
        Set<String> all = new TreeSet<>(
                new PluginCatalog(AllPairsTest.class.getClassLoader()).schemas().keySet());
        all.removeIf(name -> OF_SESSIONS.contains(name) || name.equals("probe") || name.startsWith("example-"));
        all.remove("slow-lookup");
        assertThat(settings().keySet()).containsAll(all);
    }

    @Test
    void anyTwoGetAlong() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(AllPairsTest::answer);
                TextGateway gateway = TextGateway.start(json(node, "node"))) {
            for (String first : settings().keySet()) {
                askEach(gateway, first);
            }
            expectNoFaults(gateway);
        }
    }

    private void askEach(TextGateway gateway, String first) throws IOException {
        List<String> others = new ArrayList<>(settings().keySet());
        others.removeIf(second -> second.equals(first) || APART.contains(Set.of(first, second)));
        try (RawClient client = gateway.connect()) {
            for (String second : others) {
                ask(client, first, second);
            }
        }
    }

    /** In a gateway of its own: it waits for somebody to connect to, each time as long as it may. */
    @Test
    void ownAnswersPassAnyOfThem() throws IOException {
        try (ScriptedUpstream provider = ScriptedUpstream.start(AllPairsTest::answer);
                TextGateway gateway = TextGateway.start(json(provider, "nobody"));
                RawClient client = gateway.connect()) {
            for (String first : settings().keySet()) {
                askNobody(client, first, besideNobody(first));
            }
            expectNoFaults(gateway);
        }
    }

    private static void expectNoFaults(TextGateway gateway) {
        assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isZero();
        assertThat(gateway.faults(Fault.INTERNAL)).isZero();
    }

    private static void ask(RawClient client, String first, String second) throws IOException {
        String pair = first + ", then " + second;
        boolean unpacks = first.equals("decompress-request") || second.equals("decompress-request");
        int own = own(first, second);
        // A form isn't sent to log in.
        int ownOfForms = first.endsWith(LOGIN) || (second.endsWith(LOGIN) && !ANSWERS.containsKey(first)) ? 401 : own;
        String path = "/" + first + "/" + second + "/a?q=1 HTTP/1.1\r\n" + FIELDS;
        RawResponse got = client.send("GET /node" + path + "\r\n").readResponse();
        RawResponse posted = client.send("POST /node" + path + "Content-Length: " + SENT.length() + "\r\n\r\n" + SENT)
                .readResponse();
        RawResponse packed = client.send(
                        "POST /node" + path + "Content-Encoding: gzip\r\nContent-Length: " + PACKED.length + "\r\n\r\n")
                .send(PACKED)
                .readResponse();
        RawResponse head = client.send("HEAD /node" + path + "\r\n").readResponse("HEAD");
        assertThat(got.status()).as(pair).isEqualTo(own == 0 ? 200 : own);
        assertThat(posted.status()).as(pair).isEqualTo(own == 0 ? 200 : ownOfForms);
        assertThat(packed.status()).as(pair).isEqualTo(own == 0 ? 200 : ownOfForms);
        assertThat(head.status()).as(pair).isEqualTo(own == 0 ? 200 : own);
        if (own == 0) {
            assertThat(text(got)).as(pair).isEqualTo(BODY);
            assertThat(text(posted)).as(pair).isEqualTo(BODY);
            assertThat(posted.headers().first("X-Length")).as(pair).isEqualTo(String.valueOf(SENT.length()));
            assertThat(packed.headers().first("X-Length"))
                    .as(pair)
                    .isEqualTo(String.valueOf(unpacks ? SENT.length() : PACKED.length));
            assertThat(packed.headers().first("X-Coding")).as(pair).isEqualTo(unpacks ? "none" : "gzip");
        }
    }

    /** What the first of them answers that does; 0 where none does. */
    private static int own(String first, String second) {
        return ANSWERS.getOrDefault(first, ANSWERS.getOrDefault(second, 0));
    }

    /** What becomes of Sigma's own answer: beside one plugin that changes bodies, as each takes a while. */
    private static void askNobody(RawClient client, String first, String second) throws IOException {
        int own = own(first, second);
        RawResponse failed = client.send("GET /nobody/" + first + "/" + second + "/a HTTP/1.1\r\n" + FIELDS + "\r\n")
                .readResponse();
        assertThat(failed.status()).as(first + ", then " + second).isIn(own == 0 ? List.of(502, 503) : List.of(own));
    }

    private static String text(RawResponse response) throws IOException {
        byte[] body = response.body();
        if (response.headers().has("Content-Encoding")) {
            assertThat(response.headers().values("Content-Encoding")).containsExactly("gzip");
            body = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
        }
        return new String(body, StandardCharsets.UTF_8);
    }
}
