package net.oooops.sigma.plugins.authentication.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;

/** A gateway with {@code oidc} between a node and a provider, and what a browser does. */
final class OidcFixture implements AutoCloseable {
    static final String PAGE = "Accept: text/html,*/*\r\n";
    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Another each time: a provider at the port of an earlier one has other sessions. */
    final String secret = "one secret of more than 32 characters " + COUNT.incrementAndGet();

    final ProviderDouble provider = new ProviderDouble();
    final List<ReceivedRequest> passed = new CopyOnWriteArrayList<>();
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> {
        passed.add(request);
        return Answer.ok("hello").header("Cache-Control", "max-age=60");
    });
    private final String ofRoot;
    final TextGateway gateway;

    /** @param more settings, with a comma behind each */
    OidcFixture(String more) {
        this(more, "");
    }

    /** @param ofRoot further sections of sigma.json, with a comma before each */
    OidcFixture(String more, String ofRoot) {
        this.ofRoot = ofRoot;
        gateway = TextGateway.start(json(more));
    }

    /** Another gateway of the same application. */
    TextGateway another(String more) {
        return TextGateway.start(json(more));
    }

    /** Two places have the same settings: what is below {@code /api/}, and all else. */
    String json(String more) {
        String plugin = """
                { %s "issuer": "%s", "proxy-pass-id": "id", "client-id": "shop",
                  "callback-url": "https://shop.example.org/oidc/callback",
                  "claims": { "X-Consumer-Email": "email" }%s }""".formatted(
                        more,
                        provider.issuer(),
                        more.contains("session-secret") ? "" : ", \"session-secret\": \"" + secret + "\"");
        return """
                {
                  "proxy-server": { "http": { "id": "web" } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [
                    { "id": "api", "path": "/api/*", "proxy-pass-id": "node", "plugin": { "oidc": %1$s } },
                    { "id": "a", "path": "/*", "proxy-pass-id": "node", "plugin": { "oidc": %1$s } }
                  ] }],
                  "proxy-pass": [
                    { "id": "node", "upstream-id": "node" },
                    { "id": "id", "upstream-id": "id", "retry": { "enable": false } }
                  ],
                  "upstream": [
                    { "id": "node", "nodes": ["http://127.0.0.1:%2$d"] },
                    { "id": "id", "nodes": ["http://127.0.0.1:%3$d"] }
                  ]%4$s
                }
                """.formatted(plugin, node.port(), provider.port(), ofRoot);
    }

    RawResponse get(String target, String fields) {
        return ask("GET", target, fields);
    }

    RawResponse ask(String method, String target, String fields) {
        return ask(gateway, method, target, fields);
    }

    static RawResponse ask(TextGateway of, String method, String target, String fields) {
        try (RawClient client = of.connect()) {
            return client.send(method + " " + target + " HTTP/1.1\r\nHost: any.example.org\r\n" + fields + "\r\n")
                    .readResponse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A login that a browser has begun.
     *
     * @param sent what it is to tell the provider
     * @param cookie of the login, as the browser sends it
     */
    record Begun(Map<String, String> sent, String cookie) {
        String state() {
            return sent.getOrDefault("state", "");
        }

        String nonce() {
            return sent.getOrDefault("nonce", "");
        }
    }

    Begun begin(String target) {
        RawResponse sent = get(target, PAGE);
        assertThat(sent.status()).as(sent.bodyText()).isEqualTo(302);
        return begun(sent);
    }

    Begun begun(RawResponse sent) {
        String location = location(sent);
        assertThat(location).startsWith(provider.issuer() + "/login?tenant=a&response_type=code&");
        return new Begun(query(location), cookie(sent));
    }

    static String location(RawResponse response) {
        return Objects.requireNonNull(response.headers().first("Location"));
    }

    static String setCookie(RawResponse response) {
        return Objects.requireNonNull(response.headers().first("Set-Cookie"));
    }

    /** What stands behind the question mark. */
    static Map<String, String> query(String url) {
        return form(url.substring(url.indexOf('?') + 1));
    }

    static Map<String, String> form(String text) {
        return Objects.requireNonNull(FormText.read(text));
    }

    /** The first cookie that is set, as the browser sends it. */
    static String cookie(RawResponse response) {
        String line = setCookie(response);
        return line.substring(0, line.indexOf(';'));
    }

    RawResponse comeBack(Begun login, String code) {
        return get("/oidc/callback?code=" + code + "&state=" + login.state(), "Cookie: " + login.cookie() + "\r\n");
    }

    /** Logs in with those claims and further members of the answer; returns the session as the browser sends it. */
    String logIn(Function<Begun, Map<String, Object>> claims, String more) {
        Begun login = begin("/page");
        provider.tokens = form -> provider.tokens(form, claims.apply(login), more);
        RawResponse back = comeBack(login, "c1");
        assertThat(back.status()).as(back.bodyText()).isEqualTo(303);
        return cookie(back);
    }

    String logIn() {
        return logIn(login -> provider.claims(login.nonce(), Map.of()), "");
    }

    @Override
    public void close() {
        gateway.close();
        node.close();
        provider.close();
    }
}
