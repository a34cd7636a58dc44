package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {

    private static final List<String> KNOWN = List.of(
            "id",
            "port",
            "host",
            "proxy-pass-1",
            "proxy-pass-2",
            "keep-alive",
            "max-pool-size-per-server",
            "x-frame",
            "router");

    @ParameterizedTest
    @CsvSource({
        "prot, port",
        "hots, host",
        "ip, id",
        "ID, id",
        "proxy-pas-1, proxy-pass-1",
        "proxy-pass-3, proxy-pass-1",
        "proxyPass2, proxy-pass-2",
        "proxy_pass_2, proxy-pass-2",
        "keepalive, keep-alive",
        "max-pool-size, max-pool-size-per-server",
        "X-Frame, x-frame",
        "routers, router",
        "route, router"
    })
    void findsWhatWasMeant(String name, String meant) {
        assertThat(Nearest.of(name, KNOWN)).isEqualTo(meant);
    }

    @ParameterizedTest
    @CsvSource({"consul", "elsewhere", "z", "''", "upstream"})
    void findsNothingFarAway(String name) {
        assertThat(Nearest.of(name, KNOWN)).isNull();
    }

    @Test
    void oneLetterIsNotTakenForAnother() {
        assertThat(Nearest.of("q", List.of("p"))).isNull();
        assertThat(Nearest.of("P", List.of("p"))).isEqualTo("p");
    }

    @Test
    void doesNotLookAtLongTexts() {
        assertThat(Nearest.of("a".repeat(129), List.of("a".repeat(129)))).isNull();
    }
}
