package com.example.sigma;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

class SlowLookupTest {
    @Test
    void takesItsTimeAndTellsTheServer() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/").withAddresses("192.0.2.1", "127.0.0.1");
        long before = System.nanoTime();
        Outcome outcome = PluginHarness.of(new SlowLookupFactory(), Map.of("delay", "20ms"))
                .request(exchange);
        long tookNanos = System.nanoTime() - before;

        assertThat(outcome).isSameAs(Outcome.CONTINUE);
        assertThat(tookNanos).isGreaterThanOrEqualTo(20_000_000);
        assertThat(exchange.request().lines())
                .containsExactly("X-Client-Name: client-" + Integer.toHexString("192.0.2.1".hashCode()));
    }

    @Test
    void saysThatItBlocks() {
        assertThat(new SlowLookup(Duration.ofMillis(1)).needs().blocking()).isTrue();
    }

    @Test
    void theJarNamesBothFactories() {
        List<String> names = ServiceLoader.load(PluginFactory.class).stream()
                .map(found -> found.get().name())
                .toList();

        assertThat(names).containsExactlyInAnyOrder("example-request-id", "slow-lookup");
    }
}
