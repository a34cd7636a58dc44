package com.example.sigma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdTest {
    private static final FieldName NAME = FieldName.of("X-Request-Id");
    private final PluginHarness harness = PluginHarness.of(new RequestIdFactory(), Map.of());

    private String idOf(TestExchange exchange) throws Exception {
        harness.request(exchange);
        List<String> ids = exchange.request().values(NAME);
        assertThat(ids).hasSize(1);
        return ids.getFirst();
    }

    @Test
    void aRequestWithoutAnIdGetsAUuidOfVersion7() throws Exception {
        long before = System.currentTimeMillis();
        UUID id = UUID.fromString(idOf(TestExchange.of("GET", "/")));
        long after = System.currentTimeMillis();

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id.getMostSignificantBits() >>> 16).isBetween(before, after);
    }

    @Test
    void idsDiffer() throws Exception {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(idOf(TestExchange.of("GET", "/")));
        }
        assertThat(ids).hasSize(1_000);
    }

    @Test
    void theClientsIdIsKeptAndGivenBack() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/", "x-request-id: abc-1");
        harness.request(exchange);
        harness.response(exchange, 200, "X-Request-Id: the-servers");

        assertThat(exchange.request().lines()).containsExactly("X-Request-Id: abc-1");
        assertThat(exchange.response().lines()).containsExactly("X-Request-Id: abc-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "<script>", "a,b"})
    void anIdThatIsNoneIsReplaced(String sent) throws Exception {
        assertThat(idOf(TestExchange.of("GET", "/", "X-Request-Id: " + sent))).hasSize(36);
    }

    @Test
    void anIdThatIsTooLongIsReplaced() throws Exception {
        assertThat(idOf(TestExchange.of("GET", "/", "X-Request-Id: " + "a".repeat(129))))
                .hasSize(36);
    }

    @Test
    void theFieldCanBeNamed() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        PluginHarness.of(new RequestIdFactory(), Map.of("field", "X-Trace")).request(exchange);

        assertThat(exchange.request().names()).containsExactly("X-Trace");
        assertThatThrownBy(() -> new RequestIdFactory().create(Settings.of(Map.of("field", "Host")), new TestContext()))
                .isInstanceOf(SettingsException.class)
                .hasMessage("/field: \"Host\" (expected: the name of a field that a plugin may write)");
    }
}
