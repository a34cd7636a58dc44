package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ListenerConfig.Http2;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plain port that speaks HTTP/2 and nothing else ({@code "http2": "only"}; RFC 9113 section 3.4). */
class Http2OnlyTest {
    private final ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.target()));
    private final GatewayFixture gateway = GatewayFixture.to(upstream)
            .tls(null)
            .http2(Http2.ONLY)
            .limit("connectionsMax", 2)
            .start();

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    @Test
    void requestsPass() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            assertThat(client.get(1, "/a").response(1).text()).isEqualTo("/a");
            assertThat(client.get(3, "/b").response(3).text()).isEqualTo("/b");
        }
        assertThat(gateway.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(1);
    }

    /** It is told in HTTP/2, whatever it speaks itself, and nothing of what it said is taken for a request. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
                "\u0016\u0003\u0001",
                "P\r\n"
            })
    void whatDoesNotBeginWithThePrefaceIsToldSo(String said) throws IOException {
        try (Http2Client client = Http2Client.unspoken(gateway)) {
            client.raw(said.getBytes(ISO_8859_1));
            Frame first = client.next();
            assertThat(first.type()).isEqualTo(Http2Client.SETTINGS);
            assertThat(client.error()).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
            assertThat(client.read()).as("the connection ends").isNull();
        }
        assertThat(upstream.requestCount()).isZero();
        assertThat(gateway.count(Counter.HTTP2_ERRORS)).isEqualTo(1);
    }

    @Test
    void noMoreConnectionsStayThanMay() throws IOException {
        try (Http2Client first = Http2Client.connect(gateway);
                Http2Client second = Http2Client.connect(gateway)) {
            assertThat(first.get(1, "/a").response(1).status()).isEqualTo(200);
            assertThat(second.get(1, "/a").response(1).status()).isEqualTo(200);
            try (Http2Client third = Http2Client.unspoken(gateway)) {
                assertThat(third.read()).isNull();
            }
            Await.until("it is counted", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_REFUSED) == 1);
        }
    }
}
