package net.oooops.sigma.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostGuardTest {
    private final HostGuard loopback = new HostGuard("Sigma-Admin", true);

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "LocalHost", "[::1]", "::1", "10.0.0.1", "sigma-admin"})
    void addressesAndItsOwnNamesPass(String host) {
        assertThat(loopback.allows(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com",
                "localhost.example.com",
                "127.0.0.1.example.com",
                "",
                "[localhost]x",
                "2130706433x"
            })
    void otherNamesDoNot(String host) {
        assertThat(loopback.allows(host)).isFalse();
        assertThat(new HostGuard("0.0.0.0", false).allows(host)).isTrue();
    }
}
