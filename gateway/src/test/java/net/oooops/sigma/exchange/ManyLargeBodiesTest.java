package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.memory.BoundedReadSize;
import net.oooops.sigma.memory.ReadTurns;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** More large bodies than are read in one turn of the event loop: each comes whole, and what is small between them, too. */
class ManyLargeBodiesTest {
    /** As many as three turns read where each is read for as long as may be. */
    private static final int MANY =
            3 * ReadTurns.BYTES_PER_TURN / (BoundedReadSize.READS_PER_TURN * BoundedReadSize.USUAL_BYTES_MAX);

    private static final GeneratedBody LARGE = GeneratedBody.of(3, 6 << 20);
    private static final Duration LONG = Duration.ofMinutes(1);

    /** Handshakes of both sides, too, take their turn among so many bytes. */
    private static GatewayFixture patient(ScriptedUpstream upstream) {
        return GatewayFixture.to(upstream)
                .client("connectTimeoutNanos", LONG)
                .client("waitTimeoutNanos", LONG)
                .timeout("handshakeNanos", LONG)
                .start();
    }

    private static RawClient connect(GatewayFixture gateway) throws IOException {
        return gateway.connect(ClientOptions.defaults().withDeadline(LONG));
    }

    private interface Large {
        String sha256(RawClient client) throws IOException;
    }

    /** What each of many clients was answered with, while another asked for something small. */
    private static List<String> all(GatewayFixture gateway, Large ask) throws Exception {
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
                RawClient small = connect(gateway)) {
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                answers.add(clients.submit(() -> {
                    try (RawClient client = connect(gateway)) {
                        // The second one on the same connections, to clients and nodes.
                        String first = ask.sha256(client);
                        return first.equals(ask.sha256(client)) ? first : "another one";
                    }
                }));
            }
            while (!answers.stream().allMatch(Future::isDone)) {
                assertThat(small.send(Ask.get("/small")).readResponse().bodyText())
                        .isEqualTo("small");
            }
            List<String> sums = new ArrayList<>();
            for (Future<String> answer : answers) {
                sums.add(answer.get());
            }
            return sums;
        }
    }

    @Test
    void down() throws Exception {
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> request.target().equals("/small")
                                ? Answer.ok("small")
                                : Answer.ok("").body(LARGE));
                GatewayFixture gateway = patient(upstream)) {
            List<String> sums = all(gateway, client -> {
                RawResponse response = client.send(Ask.get("/large")).readResponse();
                return response.bodySha256();
            });
            assertThat(sums).hasSize(MANY).containsOnly(LARGE.sha256());
        }
    }

    @Test
    void up() throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request ->
                        request.target().equals("/small") ? Answer.ok("small") : Answer.ok(request.bodySha256()));
                GatewayFixture gateway = patient(upstream)) {
            List<String> sums = all(gateway, client -> {
                client.send(Ask.postHead("/large", LARGE.bytes())).send(LARGE);
                return client.readResponse().bodyText();
            });
            assertThat(sums).hasSize(MANY).containsOnly(LARGE.sha256());
        }
    }
}
