package net.oooops.sigma.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Good messages with a few bytes changed, at random: whatever it is, it is answered or refused, and nothing else is disturbed. */
class NoiseTest extends WireTest {
    private static final int ROUNDS = 400;
    private static final String[] REQUESTS = {
        "GET /noise?a=b HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nConnection: close\r\n\r\n",
        "POST /noise HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        "POST /noise HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-A: b\r\n\r\n",
        "OPTIONS http://a:80/noise;v=1/%41/../b HTTP/1.0\r\nHost: a\r\nMax-Forwards: 3\r\nVia: 1.1 x\r\n\r\n"
    };
    private static final String[] RESPONSES = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nKeep-Alive: timeout=5\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-A: b\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 204 No Content\r\nDate: x\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nhello"
    };
    private static final String PIECES = "\r\n\0 \t:;,=\"%/?#*.0159afxX-_\u007F\u0080\u00FF";

    private static byte[] changed(Random random, String text) {
        StringBuilder changed = new StringBuilder(text);
        for (int i = random.nextInt(3); i >= 0; i--) {
            int at = random.nextInt(changed.length());
            char piece = PIECES.charAt(random.nextInt(PIECES.length()));
            switch (random.nextInt(4)) {
                case 0 -> changed.setCharAt(at, piece);
                case 1 -> changed.insert(at, piece);
                case 2 -> changed.deleteCharAt(at);
                default -> changed.insert(at, changed.substring(at, Math.min(changed.length(), at + 12)));
            }
        }
        return changed.toString().getBytes(ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12})
    void requests(long seed) throws IOException {
        Random random = new Random(seed);
        try (RawClient bystander = gateway.connect()) {
            for (int i = 0; i < ROUNDS; i++) {
                byte[] raw = changed(random, REQUESTS[random.nextInt(REQUESTS.length)]);
                try (RawClient client = gateway.connect()) {
                    client.sendUnlessClosed(raw, 1 + random.nextInt(raw.length));
                    // Whatever it waits for doesn't come.
                    client.halfClose();
                    client.readUntilClose();
                }
                if (i % 20 == 0) {
                    bystander.send("GET /bystander HTTP/1.1\r\nHost: a\r\n\r\n");
                    assertThat(bystander.readResponse().bodyText()).isEqualTo("/bystander");
                }
            }
        }
        Await.until(
                "nothing in flight",
                () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0
                        && gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
    }

    /** Clients that are gone before they are looked at. */
    @Test
    void resets() throws IOException {
        for (int i = 0; i < 300; i++) {
            try (RawClient client = gateway.connect()) {
                client.send("GET /reset HTTP/1.1\r\nHost: a\r\n\r\n");
                client.reset();
            }
        }
        Await.until(
                "nothing in flight",
                () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0
                        && gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
        assertThat(gateway.faults(Fault.INTERNAL)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {13, 14})
    void responses(long seed) throws IOException {
        Random random = new Random(seed);
        try (RawClient client = gateway.connect()) {
            for (int i = 0; i < ROUNDS; i++) {
                next = Script.script()
                        .send(changed(random, RESPONSES[random.nextInt(RESPONSES.length)]))
                        .close();
                try (RawClient other = gateway.connect()) {
                    // Strictly read: whatever the node sent, what comes here is well-formed, or cut.
                    RawResponse response =
                            other.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
                    assertThat(response.status()).isBetween(200, 599);
                }
                if (i % 20 == 0) {
                    client.send("GET /bystander HTTP/1.1\r\nHost: a\r\n\r\n");
                    assertThat(client.readResponse().bodyText()).isEqualTo("/bystander");
                }
            }
        }
        Await.until("nothing in flight", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
    }
}
