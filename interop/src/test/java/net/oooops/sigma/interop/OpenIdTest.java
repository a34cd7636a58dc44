package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A user with a browser, the built gateway, and a provider of OpenID Connect that others have made: node-oidc-provider, which is certified. */
class OpenIdTest {
    private static final Pattern READY = Pattern.compile("ready (\\d+)");
    private static final Duration RENEWED_MAX = Duration.ofSeconds(20);

    private static final String JSON = """
            {
              "proxy-server": {"http": {"id": "web", "host": "127.0.0.1", "port": GATEWAY}},
              "router": [{"id": "shop", "proxy-server-id": "web",
                "plugin": {"oidc": {
                  "issuer": "http://localhost:PROVIDER",
                  "proxy-pass-id": "id",
                  "client-id": "shop",
                  "client-secret": "a secret: 100% & more",
                  "callback-url": "http://localhost:GATEWAY/oidc/callback",
                  "after-logout-url": "http://localhost:GATEWAY/bye",
                  "scopes": ["email", "offline_access"],
                  "login-parameters": {"prompt": "consent"},
                  "session-secret": "of a test, and longer than 32 characters",
                  "claims": {"X-Consumer-Email": "email"}
                }},
                "route": [{"id": "all", "path": "/*", "proxy-pass-id": "app"}]}],
              "proxy-pass": [
                {"id": "app", "upstream-id": "app"},
                {"id": "id", "upstream-id": "id"}
              ],
              "upstream": [
                {"id": "app", "nodes": ["http://127.0.0.1:NODE"]},
                {"id": "id", "nodes": ["http://127.0.0.1:PROVIDER"]}
              ]
            }
            """;

    @TempDir
    private Path folder;

    @AutoClose
    private final ScriptedUpstream node = ScriptedUpstream.start(OpenIdTest::page);

    private static Answer page(ReceivedRequest request) {
        return Answer.ok(request.target() + " of " + request.header("X-Consumer-Id") + " "
                + request.header("X-Consumer-Email") + " " + request.header("Cookie"));
    }

    private Child provider(int gatewayPort, int seconds) {
        Tool tool = Tool.node();
        Needed.here(tool.whyNot() == null, "npm's oidc-provider: " + tool.whyNot());
        String script = Tool.scripts().resolve("oidc_provider.mjs").toString();
        return Child.program(
                folder,
                "provider",
                List.of(tool.command().getFirst(), script, String.valueOf(gatewayPort), String.valueOf(seconds)));
    }

    private Sigma gateway(int port, String providerPort) {
        return Sigma.run(
                folder,
                JSON.replace("GATEWAY", String.valueOf(port))
                        .replace("PROVIDER", providerPort)
                        .replace("NODE", String.valueOf(node.port())));
    }

    @Test
    void aUserLogsInStaysAndLogsOut() {
        int port = FreePorts.several(1)[0];
        String shop = "http://localhost:" + port;
        try (Child provider = provider(port, 3);
                Sigma _ = gateway(port, provider.awaitSaid(READY));
                Browser browser = new Browser()) {
            Browser.Page form = browser.go(shop + "/orders?of=today");
            assertThat(form.text()).contains("Sign-in");
            Browser.Page consent = browser.submit(form, "login=ada&password=any");
            assertThat(consent.text()).contains("the client is asking");
            Browser.Page orders = browser.submit(consent, "");
            assertThat(orders.url()).isEqualTo(shop + "/orders?of=today");
            assertThat(orders.text()).startsWith("/orders?of=today of ada ada@example.org ");
            assertThat(orders.text()).doesNotContain("sigma-session");

            // The access token is good for 3 s: the session is renewed, again and again, by refresh tokens that are
            // good once.
            Await.until("three renewals", RENEWED_MAX, () -> {
                assertThat(browser.go(shop + "/more").text()).startsWith("/more of ada ada@example.org ");
                return renewals(provider) >= 3;
            });
            assertThat(provider.out()).doesNotContain("refused").doesNotContain("failed");

            Browser.Page sure = browser.go(shop + "/oidc/logout");
            assertThat(sure.text()).contains("logout");
            Browser.Page out = browser.submit(sure, "logout=yes");
            assertThat(out.text()).contains("Sign-in");
        }
    }

    private static long renewals(Child provider) {
        Matcher each = Pattern.compile("tokens refresh_token").matcher(provider.out());
        return each.results().count();
    }
}
