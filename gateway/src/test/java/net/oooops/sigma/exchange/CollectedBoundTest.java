package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyBound;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.plugins.compression.Decoded;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What stands before a plugin that needs the whole body, and bounds bodies, bounds the one that is collected, whichever way that comes. */
class CollectedBoundTest {
    private static final String FIVE = Ask.postChunked("/") + "5\r\nhello\r\n0\r\n\r\n";
    private static final List<String> SIX = List.of(
            Ask.post("/", "hello!"),
            Ask.postChunked("/") + "6\r\nhello!\r\n0\r\n\r\n",
            // It is refused before all of it is here.
            Ask.postChunked("/") + "5\r\nhello\r\n1\r\n!\r\n");

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
    private final Probe answers = Probe.probe()
            .onRequest(x -> {
                seen.add(text(x.requestBody()));
                return Outcome.respond(Response.text(202, "taken"));
            })
            .wholeRequest(100);
    private final Probe passes = Probe.probe().onRequest(this::see).wholeRequest(100);

    @AfterEach
    void stop() {
        node.close();
    }

    private Outcome see(Exchange x) {
        seen.add(text(x.requestBody()));
        return Outcome.CONTINUE;
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes).toString();
    }

    private static PluginConfig limit(String max) {
        return GatewayFixture.plugin("body-limit", Map.of("max", max));
    }

    private GatewayFixture gateway(PluginConfig... plugins) {
        return GatewayFixture.to(node)
                .plugins(Probe.LOADER)
                .route("/*", plugins)
                .start();
    }

    /** What each of these is answered with, on a connection of its own. */
    private static void answered(GatewayFixture gateway, int status, List<String> requests) throws IOException {
        for (String request : requests) {
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(request).readResponse().status()).isEqualTo(status);
            }
        }
    }

    /** Also where the plugin behind it answers, so that the body goes nowhere. */
    @Test
    void aPluginThatAnswersSeesNoneThatIsTooLarge() throws IOException {
        try (GatewayFixture gateway = gateway(limit("5B"), answers.config())) {
            answered(gateway, 413, SIX);
            assertThat(seen).isEmpty();
            answered(gateway, 202, List.of(FIVE, Ask.post("/", "hello")));
            assertThat(gateway.pluginCount("body-limit", "too-large")).isEqualTo(SIX.size());
            assertThat(gateway.faults(Fault.BODY_TOO_LARGE)).isZero();
        }
        assertThat(seen).containsExactly("hello", "hello");
        assertThat(node.requestCount()).isZero();
    }

    /** The bound has been kept by then: its length is said to the node, and none counts it once more. */
    @Test
    void whatIsWithinItGoesOnAsItWasCollected() throws IOException {
        Probe measures = Probe.probe().onRequest(x -> {
            seen.add("length " + x.request().contentLength());
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = gateway(limit("5B"), passes.config(), measures.config());
                RawClient client = gateway.connect()) {
            assertThat(client.send(FIVE).readResponse().bodyText()).isEqualTo("hello");
            assertThat(client.send(Ask.postChunked("/") + "0\r\n\r\n")
                            .readResponse()
                            .status())
                    .isEqualTo(200);
        }
        ReceivedRequest first = node.request(0);
        assertThat(first.bodyEnd()).isEqualTo(BodyEnd.LENGTH);
        assertThat(first.header("Content-Length")).isEqualTo("5");
        assertThat(seen).containsExactly("hello", "length 5", "", "length 0");
    }

    /** It is asked before the limit is, and answers. */
    @Test
    void oneBehindWhatAnswersBoundsNothing() throws IOException {
        try (GatewayFixture gateway = gateway(limit("50B"), answers.config(), limit("5B"))) {
            answered(gateway, 202, SIX.subList(0, 2));
        }
    }

    @Test
    void theSmallestOfSeveralHolds() throws IOException {
        for (String[] each : new String[][] {{"5B", "50B"}, {"50B", "5B"}}) {
            try (GatewayFixture gateway = GatewayFixture.to(node)
                    .plugins(Probe.LOADER)
                    .plugin("body-limit", Map.of("max", each[0]))
                    .route("/*", limit(each[1]), answers.config())
                    .start()) {
                answered(gateway, 413, SIX);
                answered(gateway, 202, List.of(FIVE));
                assertThat(gateway.pluginCount("body-limit", "too-large")).isEqualTo(SIX.size());
            }
        }
    }

    /** What is refused for being more than is collected stays that. */
    @Test
    void aLargerOneChangesNothing() throws IOException {
        Probe small = Probe.probe().onRequest(this::see).wholeRequest(5);
        try (GatewayFixture gateway = gateway(limit("6B"), small.config())) {
            answered(gateway, 413, SIX);
            assertThat(gateway.faults(Fault.BODY_TOO_LARGE)).isEqualTo(SIX.size());
            assertThat(gateway.pluginCount("body-limit", "too-large")).isZero();
        }
        assertThat(seen).isEmpty();
    }

    @Test
    void oneWhoseConditionDoesNotHoldBoundsNothing() throws IOException {
        PluginConfig never =
                GatewayFixture.plugin("body-limit", Map.of("max", "5B", "when", "request.method == 'PUT'"));
        try (GatewayFixture gateway = gateway(never, answers.config())) {
            answered(gateway, 202, SIX.subList(0, 2));
        }
    }

    /** Behind what unpacks a body it bounds what becomes of that, as without anything collected. */
    @Test
    void whatBecomesOfABodyIsBoundByItself() throws IOException {
        PluginConfig unpacks = GatewayFixture.plugin("decompress-request", Map.of());
        byte[] packed = Decoded.encoded("gzip", "hello".getBytes(StandardCharsets.US_ASCII));
        assertThat(packed.length).isBetween(11, 99);
        try (GatewayFixture gateway = gateway(unpacks, limit("10B"), passes.config());
                RawClient client = gateway.connect()) {
            assertThat(client.send(chunked(packed)).readResponse().bodyText()).isEqualTo("hello");
            byte[] large = Decoded.encoded("gzip", "hello, hello".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.send(chunked(large)).readResponse().status()).isEqualTo(413);
            assertThat(gateway.pluginCount("body-limit", "too-large")).isEqualTo(1);
        }
    }

    private static byte[] chunked(byte[] body) {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        String head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
        request.writeBytes((head + Integer.toHexString(body.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(body);
        request.writeBytes("\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return request.toByteArray();
    }

    /** Passes what it takes, and notes what is called. */
    private record Noted(List<String> calls) implements BodyTransform {
        @Override
        public BodyBound bound() {
            return new BodyBound(5, null);
        }

        @Override
        public void chunk(ByteBuffer chunk, BodyOutput out) {
            calls.add("chunk");
            out.write(chunk);
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    /** One of another plugin's is closed once, and shown nothing of what has been judged. */
    @Test
    void whatBoundsIsClosedOnceItHasBeenKept() throws IOException {
        Probe bounds = Probe.probe().onRequest(x -> {
            x.transformRequestBody(new Noted(seen));
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = gateway(bounds.config(), answers.config())) {
            answered(gateway, 202, List.of(FIVE));
            Ask.quiet(gateway);
            assertThat(seen).containsExactly("close", "hello");
            seen.clear();
            answered(gateway, 413, SIX);
            Ask.quiet(gateway);
            assertThat(seen).containsExactly("close", "close", "close");
            assertThat(gateway.faults(Fault.BODY_TOO_LARGE)).isEqualTo(SIX.size());
        }
    }

    /** Nothing is refused sooner for one in shadow. */
    @Test
    void oneInShadowIsShownWhatFits() throws IOException {
        Probe bounds = Probe.probe().onRequest(x -> {
            x.transformRequestBody(new Noted(new CopyOnWriteArrayList<>()));
            return Outcome.CONTINUE;
        });
        Probe guard = Probe.probe().onRequest(x -> Outcome.respond(Response.of(401)));
        try (GatewayFixture gateway = gateway(bounds.config(), passes.shadow(), guard.config())) {
            answered(gateway, 401, SIX);
            assertThat(seen).isEmpty();
            answered(gateway, 401, List.of(Ask.post("/", "hello")));
        }
        assertThat(seen).containsExactly("hello");
    }

    /** Nothing is collected for this one: it passes as it came, and through what was given. */
    @Test
    void withoutAnyThatNeedsTheWholeItIsATransform() throws IOException {
        Probe bounds = Probe.probe().onRequest(x -> {
            x.transformRequestBody(new Noted(seen));
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = gateway(bounds.config())) {
            answered(gateway, 200, List.of(FIVE));
            Ask.quiet(gateway);
        }
        assertThat(seen).containsExactly("chunk", "close");
        assertThat(node.request(0).bodyText()).isEqualTo("hello");
    }
}
