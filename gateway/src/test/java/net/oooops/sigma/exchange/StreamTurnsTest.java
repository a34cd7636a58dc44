package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodySource.Next;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import org.junit.jupiter.api.Test;

/** Streams that never end leave others their turns. */
class StreamTurnsTest {
    private static final int MEBI = 1 << 20;
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void oneThatNeverEndsGoesOnBesideOthersUntilItsClientIsGone() throws IOException {
        GivenSource endless = GivenSource.of(out -> {
            byte[] part = new byte[out.room()];
            out.write(part, 0, part.length);
            return Next.MORE;
        });
        Probe answers = Probe.probe()
                .onRequest(exchange -> exchange.request().path().equals("/endless")
                        ? endless.outcome()
                        : Outcome.respond(Response.text(200, "other")));
        try (GatewayFixture gateway = Way.in(answers).start();
                RawClient reads = gateway.connect().deadline(LONG);
                RawClient other = gateway.connect()) {
            reads.send(Ask.get("/endless")).readHead();
            for (int i = 0; i < 20; i++) {
                reads.readExactly(MEBI);
                assertThat(other.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("other");
            }
            reads.reset();
            endless.closed(Fault.CLIENT_GONE);
        }
    }

    /** A client that takes all at once, as where nothing of it goes on, gives the source no end of turns; others have theirs between. */
    @Test
    void oneThatIsAlwaysTakenLeavesOthersTheirTurns() throws IOException {
        GivenSource endless = GivenSource.of(out -> {
            byte[] part = new byte[out.room()];
            out.write(part, 0, part.length);
            return Next.MORE;
        });
        Probe answers = Probe.probe()
                .onRequest(exchange -> exchange.request().path().equals("/endless")
                        ? endless.outcome()
                        : Outcome.respond(Response.text(200, "other")))
                .onResponse(exchange -> {
                    if (exchange.request().path().equals("/endless")) {
                        exchange.transformResponseBody((bytes, out) -> {});
                    }
                    return Outcome.CONTINUE;
                });
        try (GatewayFixture gateway = Way.in(answers).workers(1).start();
                RawClient endlessly = gateway.connect();
                RawClient other = gateway.connect()) {
            endlessly.send(Ask.get("/endless"));
            Await.until("it gives", () -> endless.given.get() > 2 * MEBI);
            for (int i = 0; i < 3; i++) {
                assertThat(other.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("other");
            }
            endlessly.reset();
            endless.closed(Fault.CLIENT_GONE);
        }
    }
}
