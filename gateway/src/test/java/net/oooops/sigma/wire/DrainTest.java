package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import org.junit.jupiter.api.Test;

/** A gateway that is told to stop (RFC 9112 section 9.6). */
@SuppressWarnings("try") // closed where the test says, not at the end of a block
class DrainTest extends WireTest {
    private static final String NEXT = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

    @Test
    void whatIsUnderWayIsAnsweredAndNothingElse() throws IOException {
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(Answer.ok("done"));
        GatewayFixture stopping = GatewayFixture.to(upstream).start();
        try (RawClient busy = stopping.connect();
                RawClient idle = stopping.connect();
                RawClient fresh = stopping.connect()) {
            idle.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            busy.send(NEXT + "GET /attack HTTP/1.1\r\nHost: a\r\n\r\n");
            Await.until("the request upstream", () -> gate.waiting() == 1);
            CompletableFuture<Long> stopped =
                    CompletableFuture.supplyAsync(() -> stopping.gateway().stop(Duration.ofSeconds(10)));
            idle.expectCleanClose();
            fresh.expectCleanClose();
            assertThatThrownBy(() -> stopping.connect().close()).isInstanceOf(IOException.class);
            gate.release();
            RawResponse response = busy.readResponse();
            assertThat(response.bodyText()).isEqualTo("done");
            assertThat(response.header("Connection")).isEqualTo("close");
            busy.expectCleanClose();
            busy.close();
            assertThat(stopped).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(0L);
        }
    }

    @Test
    void whatTakesTooLongIsCut() throws IOException {
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(Answer.ok("too late"));
        GatewayFixture stopping = GatewayFixture.to(upstream).start();
        try (RawClient busy = stopping.connect()) {
            busy.send(NEXT);
            Await.until("the request upstream", () -> gate.waiting() == 1);
            assertThat(stopping.gateway().stop(Duration.ofMillis(200))).isPositive();
            busy.expectClosed();
        } finally {
            gate.release();
        }
    }
}
