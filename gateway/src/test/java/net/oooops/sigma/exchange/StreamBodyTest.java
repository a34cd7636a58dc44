package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodySource;
import net.oooops.sigma.api.BodySource.Next;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that a plugin's source gives go out byte for byte, at their clients' pace, and each source is told once that it is over. */
class StreamBodyTest {
    private static final int MEBI = 1 << 20;
    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<GivenSource> made = new CopyOnWriteArrayList<>();

    /** Answers with a source of that content each time; of known length where the path is /known. */
    private Probe answering(GeneratedBody content) {
        return Probe.probe().onRequest(exchange -> {
            GivenSource source = GivenSource.of(content);
            made.add(source);
            return Outcome.respond(
                    exchange.request().path().equals("/known") ? source.response(content.bytes()) : source.response());
        });
    }

    private static Probe answering(GivenSource source) {
        return Probe.probe().onRequest(_ -> source.outcome());
    }

    private static RawClient connect(GatewayFixture gateway, boolean encrypted) throws IOException {
        return encrypted
                ? RawClient.connect(gateway.port(), ClientOptions.defaults(), Encryption.SHARED::wrap)
                : gateway.connect();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void tenMebibytesAreExact(Way way) throws IOException {
        GeneratedBody content = GeneratedBody.of(5, 10 * MEBI + 7);
        AtomicLong watched = new AtomicLong();
        GatewayBuilder builder = way.gateway(answering(content), watched);
        if (way == Way.ENCRYPTED) {
            builder.encrypted();
        }
        try (GatewayFixture gateway = builder.start();
                RawClient client = connect(gateway, way == Way.ENCRYPTED)) {
            client.deadline(LONG).expectBody(content);
            for (String path : List.of("/known", "/unknown", "/known")) {
                RawResponse response = client.send(Ask.get(path)).readResponse();
                assertThat(response.bodyMismatch()).isEqualTo(-1);
                assertThat(response.bodyBytes()).isEqualTo(content.bytes());
                boolean known = path.equals("/known");
                assertThat(response.header("Content-Length")).isEqualTo(known ? "" + content.bytes() : null);
                assertThat(response.bodyEnd()).isEqualTo(known ? BodyEnd.LENGTH : BodyEnd.CHUNKED);
                made.getLast().closed();
            }
            assertThat(watched).hasValue(way == Way.WATCHED ? 3 * content.bytes() : 0);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, 64 * 1024, 64 * 1024 + 1, MEBI, MEBI + 1})
    void anyLengthPipelined(int bytes) throws IOException {
        GeneratedBody content = GeneratedBody.of(6, bytes);
        try (GatewayFixture gateway = Way.in(answering(content)).start();
                RawClient client = gateway.connect().expectBody(content)) {
            client.send(Ask.get("/unknown") + Ask.head("/known") + Ask.head("/unknown") + Ask.get("/known"));
            assertThat(client.readResponse().bodyMismatch()).isEqualTo(-1);
            assertThat(client.readResponse("HEAD").header("Content-Length")).isEqualTo("" + bytes);
            assertThat(client.readResponse("HEAD").header("Content-Length")).isNull();
            assertThat(client.readResponse().bodyMismatch()).isEqualTo(-1);
            client.send(Ask.get10("/unknown"));
            RawResponse last = client.readResponse();
            assertThat(last.bodyMismatch()).isEqualTo(-1);
            assertThat(last.bodyEnd()).isEqualTo(BodyEnd.CLOSE);
        }
        made.forEach(GivenSource::closed);
        assertThat(made).hasSize(5);
        assertThat(made.get(1).isBegun()).isFalse();
        assertThat(made.get(2).asked).hasValue(0);
    }

    @Test
    void whatThereIsLeavesBeforeThereIsMore() throws IOException {
        LinkedBlockingQueue<String> parts = new LinkedBlockingQueue<>(List.of("one"));
        GivenSource source = GivenSource.of(out -> {
            String part = parts.poll();
            if (part != null) {
                GivenSource.write(out, part);
            }
            return "end".equals(part) ? Next.END : Next.LATER;
        });
        try (GatewayFixture gateway = Way.in(answering(source)).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            assertThat(client.readBody(3)).asString().isEqualTo("one");
            source.more();
            source.more();
            assertThat(source.given).hasValue(3);
            parts.add("two");
            source.more();
            assertThat(client.readBody(3)).asString().isEqualTo("two");
            parts.add("end");
            source.more();
            assertThat(client.readRest().bodyText()).isEqualTo("onetwoend");
            source.closed();
        }
    }

    @Test
    void threeThreadsGiveAllOfWhatTheyHave() throws Exception {
        int each = 20_000;
        LinkedBlockingQueue<String> parts = new LinkedBlockingQueue<>();
        AtomicInteger left = new AtomicInteger(3 * each);
        GivenSource source = GivenSource.of(out -> {
            while (out.room() >= 8) {
                String part = parts.poll();
                if (part == null) {
                    return left.get() == 0 ? Next.END : Next.LATER;
                }
                GivenSource.write(out, part);
                left.decrementAndGet();
            }
            return left.get() == 0 ? Next.END : Next.MORE;
        });
        try (GatewayFixture gateway = Way.in(answering(source)).start();
                RawClient client = gateway.connect().deadline(LONG)) {
            client.send(Ask.get("/")).readHead();
            List<Thread> givers = List.of("a", "b", "c").stream()
                    .map(name -> Thread.ofPlatform().start(() -> {
                        for (int i = 0; i < each; i++) {
                            parts.add(name);
                            source.more();
                        }
                    }))
                    .toList();
            for (Thread giver : givers) {
                giver.join();
            }
            String all = client.readRest().bodyText();
            assertThat(all).hasSize(3 * each);
            for (String name : List.of("a", "b", "c")) {
                assertThat(all.chars().filter(c -> c == name.charAt(0))).hasSize(each);
            }
            source.closed();
        }
    }

    @Test
    void trailersFollowAStreamOfUnknownLength() throws IOException {
        Probe answers = Probe.probe().onRequest(_ -> {
            BodySource source = new BodySource() {
                @Override
                public Next next(BodyOutput out) {
                    GivenSource.write(out, "body");
                    return Next.END;
                }

                @Override
                public void trailers(Head trailers) {
                    trailers.add(Field.of("X-Sum", "4"));
                }
            };
            return Outcome.respond(Response.stream(200, List.of(), StreamBody.of(source)));
        });
        try (GatewayFixture gateway = Way.in(answers).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.bodyText()).isEqualTo("body");
            assertThat(response.trailers().values("X-Sum")).containsExactly("4");
        }
    }

    // Clients

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"EPOLL", "NIO", "IO_URING", "WATCHED"})
    void aClientThatStallsStopsTheSourceAndEndsIt(Way way) throws IOException {
        GivenSource source = GivenSource.of(GeneratedBody.of(7, 64 * MEBI));
        try (GatewayFixture gateway = way.gateway(answering(source), new AtomicLong())
                        .timeout("sendStallNanos", Duration.ofMillis(300))
                        .timeout("pluginNanos", Duration.ofMillis(100))
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8192))) {
            client.send(Ask.get("/")).readHead();
            Ask.faults(gateway, Fault.CLIENT_STALLED, 1);
            source.closed(Fault.CLIENT_STALLED);
            assertThat(source.given.get()).isLessThan(16 * MEBI);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"EPOLL", "NIO", "IO_URING", "WATCHED"})
    void aClientThatGoesAwayEndsIt(Way way) throws IOException {
        try (GatewayFixture gateway = way.gateway(answering(GeneratedBody.of(7, 64 * MEBI)), new AtomicLong())
                .start()) {
            RawClient resets = gateway.connect();
            resets.send(Ask.get("/")).readHead();
            resets.readBody(100_000);
            resets.reset();
            try (RawClient closes = gateway.connect()) {
                closes.send(Ask.get("/")).readHead();
                closes.readBody(100_000);
            }
            Ask.faults(gateway, Fault.CLIENT_GONE, 2);
            made.forEach(source -> source.closed(Fault.CLIENT_GONE));
            assertThat(made).hasSize(2);
        }
    }

    @Test
    void aClientThatGoesAwayWhileNothingIsThereEndsIt() throws IOException {
        GivenSource source = GivenSource.of(_ -> Next.LATER);
        try (GatewayFixture gateway = Way.in(answering(source)).start()) {
            RawClient client = gateway.connect();
            client.send(Ask.get("/")).readHead();
            client.reset();
            source.closed(Fault.CLIENT_GONE);
            int asked = source.asked.get();
            source.more();
            assertThatThrownBy(() -> source.last().write('x')).isInstanceOf(IllegalStateException.class);
            Ask.quiet(gateway);
            assertThat(source.asked).hasValue(asked);
        }
    }

    @Test
    void whoSendsABodyAndReadsNothingBeforeIsAnswered() throws IOException {
        GeneratedBody content = GeneratedBody.of(8, 8 * MEBI);
        try (GatewayFixture gateway = Way.in(answering(content)).start();
                RawClient client = gateway.connect().deadline(LONG).expectBody(content)) {
            client.send(Ask.postHead("/", content.bytes())).send(content);
            assertThat(client.readResponse().bodyMismatch()).isEqualTo(-1);
            made.getLast().closed();
        }
    }

    // Sources that fail

    private void fails(GivenSource source, Response response) throws IOException {
        Probe answers = Probe.probe()
                .onRequest(exchange -> exchange.request().path().equals("/")
                        ? Outcome.respond(response)
                        : Outcome.respond(Response.text(200, "behind")));
        try (GatewayFixture gateway = Way.in(answers)
                        .timeout("pluginNanos", Duration.ofMillis(300))
                        .start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            client.send(Ask.get("/") + Ask.get("/behind"));
            RawResponse cut = client.readResponse();
            assertThat(cut.status()).isEqualTo(200);
            assertThat(cut.truncated()).as("cut").isTrue();
            Ask.faults(gateway, Fault.PLUGIN_FAILED, 1);
            source.closed(Fault.PLUGIN_FAILED);
            assertThat(other.send(Ask.get("/other")).readResponse().bodyText()).isEqualTo("behind");
        }
    }

    private void fails(GivenSource source) throws IOException {
        fails(source, source.response());
    }

    @Test
    void oneThatNeverGivesIsCutInTime() throws IOException {
        GivenSource source = GivenSource.of(_ -> Next.LATER);
        fails(source);
        assertThat(source.asked).hasValue(1);
    }

    @Test
    void oneThatGivesEmptyPartsForEverIsCutInTime() throws IOException {
        GivenSource[] own = new GivenSource[1];
        own[0] = GivenSource.of(out -> {
            GivenSource.write(out, "");
            own[0].more();
            return Next.LATER;
        });
        fails(own[0]);
        assertThat(own[0].asked.get()).isGreaterThan(10);
    }

    @Test
    void oneThatStopsInTheMiddleIsCutInTime() throws IOException {
        AtomicInteger times = new AtomicInteger();
        fails(GivenSource.of(out -> {
            if (times.incrementAndGet() < 20) {
                GivenSource.write(out, "part");
                return Next.MORE;
            }
            return Next.LATER;
        }));
    }

    @Test
    void oneThatHasMoreAndGivesNothingFails() throws IOException {
        GivenSource source = GivenSource.of(_ -> Next.MORE);
        fails(source);
        assertThat(source.asked).hasValue(1);
    }

    @Test
    void oneThatThrowsAtOnceOrLaterFails() throws IOException {
        fails(GivenSource.of(_ -> {
            throw new IOException("as asked");
        }));
        AtomicInteger times = new AtomicInteger();
        fails(GivenSource.of(out -> {
            GivenSource.write(out, "part");
            if (times.incrementAndGet() == 3) {
                throw new NoClassDefFoundError("as asked");
            }
            return Next.MORE;
        }));
    }

    @Test
    @SuppressWarnings("NullAway")
    void oneThatSaysNothingFails() throws IOException {
        fails(GivenSource.of(_ -> null));
    }

    @Test
    void oneThatGivesMoreThanMayWaitFails() throws IOException {
        fails(GivenSource.of(out -> {
            out.write(new byte[StreamBody.PART_BYTES_MAX], 0, StreamBody.PART_BYTES_MAX);
            assertThat(out.room()).isZero();
            out.write('x');
            return Next.END;
        }));
    }

    @Test
    void oneThatGivesMoreOrLessThanItsLengthFails() throws IOException {
        GivenSource more = GivenSource.of("12345");
        fails(more, more.response(4));
        GivenSource less = GivenSource.of("123");
        fails(less, less.response(4));
    }

    @Test
    void oneThatWritesFromAnotherThreadFails() throws IOException {
        AtomicInteger refused = new AtomicInteger();
        GivenSource source = GivenSource.of(out -> {
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    out.write('x');
                } catch (IllegalStateException e) {
                    refused.incrementAndGet();
                }
            });
            other.join();
            return Next.END;
        });
        try (GatewayFixture gateway = Way.in(answering(source)).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEmpty();
            source.closed();
        }
        assertThat(refused).hasValue(1);
    }

    @Test
    void oneThatThrowsWhenItIsClosedHarmsNobody() throws IOException {
        AtomicInteger closes = new AtomicInteger();
        Probe answers = Probe.probe()
                .onRequest(_ -> Outcome.respond(Response.stream(200, List.of(), StreamBody.of(new BodySource() {
                    @Override
                    public Next next(BodyOutput out) {
                        GivenSource.write(out, "all");
                        return Next.END;
                    }

                    @Override
                    public void close(@Nullable Fault fault) {
                        closes.incrementAndGet();
                        throw new IllegalStateException("as asked");
                    }
                }))));
        try (GatewayFixture gateway = Way.in(answers).start();
                RawClient client = gateway.connect()) {
            for (int i = 1; i < 4; i++) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("all");
                assertThat(client.send(Ask.head("/")).readResponse("HEAD").status())
                        .isEqualTo(200);
                int expected = 2 * i;
                Await.until("closed", () -> closes.get() == expected);
            }
        }
    }

    @Test
    void itsStatusHasABody() {
        StreamBody body = StreamBody.of(GivenSource.of("x"));
        assertThatThrownBy(() -> Response.stream(204, List.of(), body)).hasMessageContaining("204");
        assertThatThrownBy(() -> Response.stream(200, List.of(), body).with(304, List.of()))
                .hasMessageContaining("304");
        assertThatThrownBy(() -> StreamBody.ofLength(-1, GivenSource.of("x"))).hasMessageContaining("-1");
        assertThat(Objects.requireNonNull(Response.stream(200, List.of(), body).stream())
                        .take())
                .isTrue();
        assertThat(body.take()).isFalse();
    }
}
