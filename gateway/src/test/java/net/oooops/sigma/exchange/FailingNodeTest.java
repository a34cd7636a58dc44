package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Of three nodes, one that fails quicker than the others answer: no balancer takes that for being free. */
class FailingNodeTest {
    private static final int REQUESTS = 150;

    private final ScriptedUpstream one = ScriptedUpstream.start(request -> Answer.ok("one"));
    private final ScriptedUpstream two = ScriptedUpstream.start(request -> Answer.ok("two"));

    @AfterEach
    void stop() {
        one.close();
        two.close();
    }

    private GatewayFixture to(ScriptedUpstream failing, RuleStrategy strategy) {
        return GatewayFixture.to(failing, one, two)
                .strategy(strategy)
                .limit("requestsPerConnectionMax", 100_000)
                // Only what balancing does by itself.
                .withoutRetries()
                .passive("enabled", false)
                .start();
    }

    /** How many of the requests, one after the other, the failing node got. */
    private static int failed(GatewayFixture gateway) throws IOException {
        int failed = 0;
        for (int i = 0; i < REQUESTS; i++) {
            try (RawClient client = gateway.connect()) {
                RawResponse response = client.send(Ask.get("/")).readResponse();
                failed += response.status() != 200 || response.truncated() ? 1 : 0;
            }
        }
        return failed;
    }

    @ParameterizedTest
    @EnumSource(
            value = RuleStrategy.class,
            names = {"LEAST_CONNECTIONS", "P2C"})
    void anAnswerThatSaysThatItFails(RuleStrategy strategy) throws IOException {
        for (int status : new int[] {500, 502, 503, 504}) {
            try (ScriptedUpstream failing = ScriptedUpstream.start(request -> Answer.of(status));
                    GatewayFixture gateway = to(failing, strategy)) {
                assertThat(failed(gateway)).as(status + "").isBetween(1, 15);
            }
        }
    }

    @Test
    void anAnswerThatSaysTheRequestAsksTooMuchIsAnAnswer() throws IOException {
        for (int status : new int[] {404, 429, 501, 505}) {
            try (ScriptedUpstream other = ScriptedUpstream.start(request -> Answer.of(status));
                    GatewayFixture gateway = to(other, RuleStrategy.LEAST_CONNECTIONS)) {
                assertThat(failed(gateway)).as(status + "").isEqualTo(REQUESTS / 3);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RuleStrategy.class,
            names = {"LEAST_CONNECTIONS", "P2C"})
    void noAnswer(RuleStrategy strategy) throws IOException {
        try (ScriptedUpstream failing = ScriptedUpstream.play(
                        Script.script().readRequest().close().repeat());
                GatewayFixture gateway = to(failing, strategy)) {
            failed(gateway);
            assertThat(failing.requestCount()).isBetween(1, 15);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RuleStrategy.class,
            names = {"LEAST_CONNECTIONS", "P2C"})
    void anAnswerThatBreaksOff(RuleStrategy strategy) throws IOException {
        try (ScriptedUpstream failing = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive.")
                        .close()
                        .repeat());
                GatewayFixture gateway = to(failing, strategy)) {
            assertThat(failed(gateway)).isBetween(1, 15);
        }
    }

    @Test
    void aSlowNodeIsSpared() throws IOException {
        try (ScriptedUpstream slow = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        // More than a machine that others stall makes of the nodes beside it.
                        .pause(Duration.ofMillis(500))
                        .respond(200, "slow")
                        .repeat());
                GatewayFixture gateway = to(slow, RuleStrategy.P2C)) {
            assertThat(failed(gateway)).isZero();
            assertThat(slow.requestCount()).isBetween(1, 8);
        }
    }

    @Test
    void clientsThatGiveUpAreNoFailures() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(silent, one)
                        .strategy(RuleStrategy.LEAST_CONNECTIONS)
                        .start()) {
            try (RawClient client = gateway.connect()) {
                client.send(Ask.get("/"));
                silent.awaitRequests(1);
                client.reset();
            }
            Ask.quiet(gateway);
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("one");
                client.send(Ask.get("/"));
                silent.awaitRequests(2);
            }
        }
    }
}
