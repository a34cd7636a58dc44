package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BuiltInUpstreamTest {
    private static final String JSON = "{\"code\":200,\"msg\":\"success\",\"data\":null}";
    private static final SocketTransport TRANSPORT = SocketTransport.choose(RuntimeConfig.Transport.NIO);

    private final int port = FreePorts.one();
    private BuiltInUpstream upstream;

    @BeforeEach
    void start() throws StartException {
        upstream = BuiltInUpstream.start(TRANSPORT, port);
    }

    @AfterEach
    void stop() {
        upstream.close();
    }

    @Test
    void answersEveryRequestOfAConnectionAlike() throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            client.send(
                    "GET /any?x=1 HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");

            assertThat(client.readResponse().bodyText()).isEqualTo(JSON);
            RawResponse second = client.readResponse();
            assertThat(second.statusLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(second.header("Content-Type")).isEqualTo("application/json");
            assertThat(second.bodyText()).isEqualTo(JSON);
        }
    }

    @Test
    void answersHeadWithoutBody() throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");

            assertThat(client.readResponse("HEAD").header("Content-Length")).isEqualTo(String.valueOf(JSON.length()));
            assertThat(client.readResponse().bodyText()).isEqualTo(JSON);
        }
    }

    @Test
    void closesWhereTheClientWantsItTo() throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

            assertThat(client.readResponse().header("Connection")).isEqualTo("close");
            client.expectCleanClose();
        }
    }

    @Test
    void asksForABodyThatWaitsForIt() throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
            assertThat(client.readExactly(25)).asString().isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            client.send("x");

            assertThat(client.readResponse().status()).isEqualTo(200);
        }
    }

    @Test
    void refusesWhatIsNoHttp() throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            client.send("nonsense\r\n\r\n");

            assertThat(client.readResponse().status()).isEqualTo(400);
            client.expectClosed();
        }
    }

    @Test
    void saysThatItsPortIsTaken() {
        assertThatThrownBy(() -> BuiltInUpstream.start(TRANSPORT, port))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("built-in upstream: can't listen on")
                .hasMessageContaining(":" + port);
    }
}
