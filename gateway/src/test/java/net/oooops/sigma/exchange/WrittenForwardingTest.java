package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A field that says where a request came from goes once, as a plugin has written it. */
@Tag("plain")
class WrittenForwardingTest {
    private static final List<String> ALL =
            List.of("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Host", "Forwarded");

    private ScriptedUpstream node;

    @BeforeEach
    void start() {
        node = ScriptedUpstream.start(request -> Answer.ok("node"));
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private ReceivedRequest writing(AllowForward allow, List<String> names) throws IOException {
        Probe writing = Probe.probe().onRequest(exchange -> {
            names.forEach(name -> exchange.request().set(Field.of(name, "written")));
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = GatewayFixture.to(node)
                        .plugins(Probe.LOADER)
                        .route("/*", writing.config())
                        .allowForward(allow, "127.0.0.0/8")
                        .start();
                RawClient client = gateway.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 9.9.9.9\r\nX-Forwarded-Proto: https\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            return node.requests().getLast();
        }
    }

    @ParameterizedTest
    @EnumSource(AllowForward.class)
    void whatAPluginWritesTakesThePlaceOfSigmas(AllowForward allow) throws IOException {
        ReceivedRequest seen = writing(allow, ALL);
        for (String name : ALL) {
            assertThat(seen.headers().values(name)).as(name).containsExactly("written");
        }
    }

    @Test
    void theOthersAreWrittenAsAlways() throws IOException {
        ReceivedRequest seen = writing(AllowForward.NONE, List.of("X-Forwarded-Proto"));
        assertThat(seen.headers().values("X-Forwarded-Proto")).containsExactly("written");
        assertThat(seen.headers().values("X-Forwarded-For")).containsExactly("127.0.0.1");
        assertThat(seen.headers().values("X-Forwarded-Host")).containsExactly("a");
        assertThat(seen.headers().values("X-Forwarded-Port")).hasSize(1);
        assertThat(seen.headers().values("Forwarded")).containsExactly("for=127.0.0.1;proto=http;host=\"a\"");
    }
}
