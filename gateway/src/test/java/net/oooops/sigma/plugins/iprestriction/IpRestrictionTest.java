package net.oooops.sigma.plugins.iprestriction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.SessionOutcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IpRestrictionTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private static SessionOutcome outcome(Map<String, List<String>> settings, String client) throws Exception {
        return PluginHarness.of(new IpRestrictionFactory(), settings).session(TestSession.from(client));
    }

    @Test
    void whoIsInAllowMayConnectAndNobodyElse() throws Exception {
        Map<String, List<String>> settings = Map.of("allow", List.of("10.0.0.0/8", "192.0.2.1", "2001:db8::/32"));
        for (String client : List.of("10.255.0.1", "192.0.2.1", "2001:db8:1::1", "::ffff:10.0.0.1")) {
            assertThat(outcome(settings, client)).as(client).isEqualTo(SessionOutcome.CONTINUE);
        }
        for (String client : List.of("11.0.0.1", "192.0.2.2", "2001:db9::1", "::ffff:11.0.0.1", "::10.0.0.1")) {
            assertThat(outcome(settings, client)).as(client).isEqualTo(SessionOutcome.REFUSE);
        }
    }

    @Test
    void whoIsInDenyMayNotAndAllOthersMay() throws Exception {
        Map<String, List<String>> settings = Map.of("deny", List.of("10.9.0.0/16", "2001:db8:bad::/48"));
        for (String client : List.of("10.8.0.1", "2001:db8::1")) {
            assertThat(outcome(settings, client)).as(client).isEqualTo(SessionOutcome.CONTINUE);
        }
        for (String client : List.of("10.9.0.1", "::ffff:10.9.1.1", "2001:db8:bad::1")) {
            assertThat(outcome(settings, client)).as(client).isEqualTo(SessionOutcome.REFUSE);
        }
    }

    @Test
    void denyIsStrongerThanAllow() throws Exception {
        Map<String, List<String>> settings = Map.of("allow", List.of("10.0.0.0/8"), "deny", List.of("10.9.0.0/16"));
        assertThat(outcome(settings, "10.1.0.1")).isEqualTo(SessionOutcome.CONTINUE);
        assertThat(outcome(settings, "10.9.0.1")).isEqualTo(SessionOutcome.REFUSE);
        assertThat(outcome(settings, "192.0.2.1")).isEqualTo(SessionOutcome.REFUSE);
    }

    /** Of a request it is the client that trusted proxies name; from anybody else that is only a field. */
    @Test
    void requestsAreRefusedByTheirClient() throws IOException {
        Map<String, List<String>> settings = Map.of("allow", List.of("192.0.2.0/24"), "deny", List.of("192.0.2.66"));
        Path log = dir.resolve("access.log");
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("in"))) {
            try (GatewayFixture gateway = GatewayFixture.to(node)
                            .plugin("ip-restriction", settings)
                            .allowForward(AllowForward.ALL, "127.0.0.0/8")
                            .accessLog(log)
                            .start();
                    RawClient client = gateway.connect()) {
                assertThat(ask(client, "192.0.2.1").status()).isEqualTo(200);
                assertThat(ask(client, "192.0.2.66").status()).isEqualTo(403);
                assertThat(ask(client, "198.51.100.1").bodyText()).isEqualTo("Not from there.\n");
            }
            try (GatewayFixture gateway = GatewayFixture.to(node)
                            .plugin("ip-restriction", settings)
                            .start();
                    RawClient client = gateway.connect()) {
                assertThat(ask(client, "192.0.2.1").status()).isEqualTo(403);
            }
            assertThat(node.requestCount()).isEqualTo(1);
        }
        assertThat(Files.readString(log)).contains("ip-restriction: address");
    }

    private static RawResponse ask(RawClient client, String forwardedFor) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: " + forwardedFor + "\r\n\r\n")
                .readResponse();
    }

    @Test
    void whatIsNoBlockIsToldWithItsPlace() {
        Settings settings = Settings.of(Map.of("allow", List.of("10.0.0.0/8", "10.0.0.1/8")));
        assertThatThrownBy(() -> new IpRestrictionFactory().create(settings, new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/allow/1"))
                .hasMessageContaining("no bits of the address beyond the prefix length");
    }
}
