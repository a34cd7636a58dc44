package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/**
 * One gateway and one upstream for all tests of a class, and the question that every check asks: is the request refused, is nothing of
 * it seen upstream, and does nobody else notice.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WireTest {
    /** The target of every request that must not get through. */
    static final String ATTACK = "/attack";

    private static final String BYSTANDER = "/bystander";

    @SuppressWarnings("NullAway.Init") // set before each test
    ScriptedUpstream upstream;

    @SuppressWarnings("NullAway.Init") // set before each test
    GatewayFixture gateway;

    /** What the upstream answers to requests for {@code /next}. */
    volatile Step next = Answer.ok("");

    @BeforeAll
    final void startBoth() {
        upstream = upstream();
        gateway = configure(GatewayFixture.to(upstream)).start();
    }

    /** The upstream; answers every request with its target where a class doesn't say otherwise. */
    ScriptedUpstream upstream() {
        return ScriptedUpstream.start(this::answer);
    }

    /** What the upstream answers to a request: to {@code /next} what the test said, to others their target. */
    Step answer(ReceivedRequest request) {
        return request.target().startsWith("/next") ? next : Answer.ok(request.target());
    }

    /** An upstream that answers when it has the head; {@link #next} says what becomes of the body. */
    final ScriptedUpstream upstreamOnHead() {
        return ScriptedUpstream.startOnHead(request -> request.target().startsWith("/next")
                ? next
                : Script.script().readBody().respond(Answer.ok(request.target())));
    }

    /** What the gateway is to be; as by default where a class doesn't say otherwise. */
    GatewayBuilder configure(GatewayBuilder builder) {
        return builder;
    }

    @AfterAll
    final void stopBoth() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).as("faults of the gateway's own").isZero();
        assertThat(upstream.requests())
                .filteredOn(request -> request.target().contains("smuggled")
                        || (request.target().equals(ATTACK) && request.complete()))
                .as("requests upstream that should have been refused")
                .isEmpty();
    }

    /** Sends bytes on a connection of their own and returns the answer. */
    RawResponse exchange(String bytes) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send(bytes).readResponse(method(bytes));
        }
    }

    /** As {@link #exchange}, for requests that get through: returns what the upstream saw. */
    ReceivedRequest forwarded(String bytes) throws IOException {
        int before = upstream.requestCount();
        RawResponse response = exchange(bytes);
        List<ReceivedRequest> seen = upstream.requests();
        assertThat(response.status()).as(response.toString()).isEqualTo(200);
        assertThat(seen).as("seen upstream").hasSize(before + 1);
        return seen.getLast();
    }

    /** The request is refused with that status, all at once and byte by byte; its connection is closed, others go on. */
    void refused(int status, String bytes) throws IOException {
        try (RawClient bystander = gateway.connect()) {
            bystander.send("GET " + BYSTANDER + " HTTP/1.1\r\nHost: a\r\n");
            int before = upstream.requestCount();
            twice(status, bytes);
            assertThat(bystander.send("\r\n").readResponse().bodyText()).isEqualTo(BYSTANDER);
            assertThat(upstream.requests().subList(before, upstream.requestCount()))
                    .filteredOn(
                            request -> request.complete() || request.bodyEnd().truncated())
                    .extracting(ReceivedRequest::target)
                    .containsOnly(BYSTANDER);
        }
    }

    /** The request's head is well-formed and its body is not: the same, but that its beginning may have gone upstream. */
    void bodyRefused(int status, String bytes) throws IOException {
        try (RawClient bystander = gateway.connect()) {
            bystander.send("GET " + BYSTANDER + " HTTP/1.1\r\nHost: a\r\n");
            twice(status, bytes);
            assertThat(bystander.send("\r\n").readResponse().bodyText()).isEqualTo(BYSTANDER);
        }
    }

    private void twice(int status, String bytes) throws IOException {
        Counters before = settled();
        refused(status, bytes, Integer.MAX_VALUE);
        refused(status, bytes, 1);
        Counters after = settled();
        assertThat(sum(after.faults()) - sum(before.faults()))
                .as("faults counted")
                .isEqualTo(2);
        Counter ofStatus = status < 500 ? Counter.REQUESTS_4XX : Counter.REQUESTS_5XX;
        assertThat(after.count(ofStatus) - before.count(ofStatus)).isEqualTo(2);
    }

    /** An exchange is counted when its answer has been written: a moment later than a client can see it. */
    private Counters settled() {
        Await.until("no exchange", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
        return gateway.counters();
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    private void refused(int status, String bytes, int pieceBytes) throws IOException {
        byte[] raw = bytes.getBytes(StandardCharsets.ISO_8859_1);
        try (RawClient client = gateway.connect()) {
            client.sendUnlessClosed(raw, Math.min(pieceBytes, raw.length));
            RawResponse response = client.readResponse(method(bytes));
            assertThat(response.status()).as(response.toString()).isEqualTo(status);
            assertThat(response.header("Connection")).isEqualTo("close");
            assertThat(response.header("Date")).isNotNull();
            client.expectCleanClose();
        }
    }

    private static String method(String bytes) {
        int space = bytes.indexOf(' ');
        return space < 0 ? "" : bytes.substring(0, space);
    }
}
