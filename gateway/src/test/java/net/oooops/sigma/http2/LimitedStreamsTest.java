package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams of one connection are as many requests. */
class LimitedStreamsTest {
    private static final int CANCEL = 8;

    private final Gate gate = new Gate();
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(request -> {
        if (request.target().equals("/hold")) {
            gate.pass();
        }
        return Answer.ok("hello");
    });

    @AfterEach
    void stop() {
        gate.release();
        upstream.close();
    }

    private GatewayFixture start(String plugin, Map<String, Object> settings) {
        return GatewayFixture.to(upstream)
                .route("/*", GatewayFixture.plugin(plugin, settings))
                .start();
    }

    /** The next so many heads, by their streams. */
    private static Map<Integer, String> statuses(Http2Client client, int count) throws IOException {
        Map<Integer, String> statuses = new TreeMap<>();
        while (statuses.size() < count) {
            Frame head = client.await(Http2Client.HEADERS);
            statuses.put(head.stream(), client.fields(head).getOrDefault(":status", ""));
        }
        return statuses;
    }

    @Test
    void eachTakesAToken() throws IOException {
        Map<String, Object> settings = Map.of("limits", List.of(Map.of("requests", 10, "per", "1h")));
        try (GatewayFixture gateway = start("rate-limit", settings);
                Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 40; i++) {
                client.get(2 * i + 1, "/");
            }
            Map<Integer, String> statuses = statuses(client, 40);
            assertThat(Collections.frequency(statuses.values(), "200")).isEqualTo(10);
            assertThat(Collections.frequency(statuses.values(), "429")).isEqualTo(30);
        }
        assertThat(upstream.requestCount()).isEqualTo(10);
    }

    /** One that is reset leaves at once, and what is reset again and again holds nothing. */
    @Test
    void oneThatIsResetLeaves() throws IOException {
        try (GatewayFixture gateway = start("concurrency-limit", Map.of("max", 3));
                Http2Client client = Http2Client.connect(gateway)) {
            for (int stream = 1; stream <= 9; stream += 2) {
                client.get(stream, "/hold");
            }
            assertThat(statuses(client, 2)).isEqualTo(Map.of(7, "429", 9, "429"));
            client.reset(3, CANCEL).get(11, "/hold").get(13, "/hold");
            assertThat(statuses(client, 1)).isEqualTo(Map.of(13, "429"));
            gate.release();
            assertThat(statuses(client, 3)).isEqualTo(Map.of(1, "200", 5, "200", 11, "200"));
            for (int stream = 15; stream < 15 + 2 * 60; stream += 2) {
                client.get(stream, "/").reset(stream, CANCEL);
            }
            client.ping(1, false);
            for (Frame next = client.next(); next.type() != Http2Client.PING; next = client.next()) {
                if (next.type() == Http2Client.HEADERS) {
                    client.fields(next);
                }
            }
            Await.until("all are over", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
            client.get(201, "/");
            assertThat(client.response(201).status()).isEqualTo(200);
        }
    }
}
