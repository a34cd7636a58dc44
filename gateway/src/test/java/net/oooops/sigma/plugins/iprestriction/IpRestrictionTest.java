package net.oooops.sigma.plugins.iprestriction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.SessionOutcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestSession;
import org.junit.jupiter.api.Test;

class IpRestrictionTest {
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

    @Test
    void whatIsNoBlockIsToldWithItsPlace() {
        Settings settings = Settings.of(Map.of("allow", List.of("10.0.0.0/8", "10.0.0.1/8")));
        assertThatThrownBy(() -> new IpRestrictionFactory().create(settings, new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/allow/1"))
                .hasMessageContaining("no bits of the address beyond the prefix length");
    }
}
