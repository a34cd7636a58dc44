package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodySource;
import net.oooops.sigma.api.BodySource.Next;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of plugins may come to their end before the gateway does. */
class StreamDrainTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static Probe answering(GivenSource source) {
        return Probe.probe().onRequest(_ -> source.outcome());
    }

    @Test
    void theEndOfTheTimeToDrainCutsIt() throws IOException {
        GivenSource source = GivenSource.of(_ -> Next.LATER);
        try (GatewayFixture gateway = Way.in(answering(source)).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            gateway.drain(Duration.ofMillis(50));
            source.closed(Fault.REQUEST_CUT);
            assertThat(client.readRest().truncated()).isTrue();
            source.more();
        }
    }

    @Test
    void oneThatIsUnderWayWhileAllDrainsComesToItsEnd() throws Exception {
        AtomicInteger left = new AtomicInteger(2);
        GivenSource source = GivenSource.of(out -> {
            GivenSource.write(out, "x");
            return left.decrementAndGet() == 0 ? Next.END : Next.LATER;
        });
        try (GatewayFixture gateway = Way.in(answering(source)).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            Thread drain = Thread.ofPlatform().start(() -> gateway.drain(Duration.ofSeconds(30)));
            assertThat(client.readBody(1)).hasSize(1);
            source.more();
            assertThat(client.readRest().bodyText()).isEqualTo("xx");
            source.closed();
            drain.join();
        }
    }

    /** Who is quiet, who always has more, and who begins behind it: all may end as they should. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneIsToldThatAllDrains(boolean quiet) throws Exception {
        AtomicReference<@Nullable GivenSource> own = new AtomicReference<>();
        GivenSource source = GivenSource.of(out -> {
            if (Objects.requireNonNull(own.get()).drains.get() > 0) {
                GivenSource.write(out, "bye");
                return Next.END;
            }
            GivenSource.write(out, "x");
            return quiet ? Next.LATER : Next.MORE;
        });
        own.set(source);
        try (GatewayFixture gateway = Way.in(answering(source)).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            assertThat(client.readBody(1)).hasSize(1);
            Thread drain = Thread.ofPlatform().start(() -> gateway.drain(LONG));
            RawResponse response = client.readRest();
            assertThat(response.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            assertThat(response.bodyText()).startsWith("x").endsWith("xbye");
            source.closed();
            assertThat(drain.join(LONG)).isTrue();
            assertThat(source.drains).hasValue(1);
        }
    }

    /** A failure there is one anywhere. */
    @Test
    void oneThatThrowsWhenItIsToldIsCut() throws Exception {
        AtomicReference<@Nullable Fault> why = new AtomicReference<>();
        Probe answers = Probe.probe()
                .onRequest(_ -> Outcome.respond(Response.stream(200, List.of(), StreamBody.of(new BodySource() {
                    @Override
                    public Next next(BodyOutput out) {
                        return Next.LATER;
                    }

                    @Override
                    public void drain() {
                        throw new IllegalStateException("for a test");
                    }

                    @Override
                    public void close(@Nullable Fault fault) {
                        why.set(fault);
                    }
                }))));
        try (GatewayFixture gateway = Way.in(answers).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            Thread drain = Thread.ofPlatform().start(() -> gateway.drain(LONG));
            assertThat(client.readRest().truncated()).isTrue();
            assertThat(drain.join(LONG)).isTrue();
            assertThat(why).hasValue(Fault.PLUGIN_FAILED);
        }
    }
}
