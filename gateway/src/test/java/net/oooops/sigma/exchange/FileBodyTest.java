package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.FilePart;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that lie in files go out byte for byte, at their clients' pace, and no file stays open. */
class FileBodyTest {
    private static final int MEBI = 1 << 20;
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest
    @EnumSource(Way.class)
    void tenMebibytesAreExact(Way way) throws IOException {
        ServedFile file = ServedFile.of(folder, 10 * MEBI + 7);
        AtomicLong watched = new AtomicLong();
        GatewayBuilder builder = way.gateway(file.probe(), watched);
        if (way == Way.ENCRYPTED) {
            builder.encrypted();
        }
        try (GatewayFixture gateway = builder.start();
                RawClient client = connect(gateway, way == Way.ENCRYPTED)) {
            client.deadline(LONG).expectBody(file.content);
            for (int i = 1; i < 4; i++) {
                RawResponse response = client.send(Ask.get("/")).readResponse();
                assertThat(response.bodyMismatch()).isEqualTo(-1);
                assertThat(response.bodyBytes()).isEqualTo(file.content.bytes());
                assertThat(response.header("Content-Length")).isEqualTo("" + file.content.bytes());
                assertThat(response.bodyEnd()).isEqualTo(BodyEnd.LENGTH);
                file.allClosed(i);
            }
            Await.value(
                    "bytes sent",
                    () -> gateway.count(Counter.DOWNSTREAM_BYTES_SENT),
                    sent -> sent > 3 * file.content.bytes());
            assertThat(watched).hasValue(way == Way.WATCHED ? 3 * file.content.bytes() : 0);
        }
    }

    private static RawClient connect(GatewayFixture gateway, boolean encrypted) throws IOException {
        return encrypted
                ? RawClient.connect(gateway.port(), ClientOptions.defaults(), Encryption.SHARED::wrap)
                : gateway.connect();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, 32 * 1024, 64 * 1024, 64 * 1024 + 1, MEBI, MEBI + 1, 2 * MEBI})
    void anyLengthPipelined(int bytes) throws IOException {
        ServedFile file = ServedFile.of(folder, bytes);
        try (GatewayFixture gateway = Way.in(file.probe()).start();
                RawClient client = gateway.connect().expectBody(file.content)) {
            client.send(Ask.get("/") + Ask.head("/") + Ask.get("/"));
            assertThat(client.readResponse().bodyMismatch()).isEqualTo(-1);
            assertThat(client.readResponse("HEAD").header("Content-Length")).isEqualTo("" + bytes);
            RawResponse last = client.readResponse();
            assertThat(last.bodyBytes()).isEqualTo(bytes);
            assertThat(last.bodyMismatch()).isEqualTo(-1);
            client.send(Ask.get10("/"));
            assertThat(client.readResponse().bodyBytes()).isEqualTo(bytes);
            file.allClosed(4);
        }
    }

    @Test
    void partsWithTextsBetween() throws IOException {
        ServedFile file = ServedFile.of(folder, 2 * MEBI);
        Probe answers = Probe.probe().onRequest(_ -> {
            FileChannel channel = file.open();
            return Outcome.respond(Response.file(
                    206,
                    List.of(),
                    FileBody.ofParts(
                            channel,
                            List.of(
                                    new FilePart(Ascii.of("one"), 10, 5),
                                    new FilePart(Ascii.EMPTY, 0, 0),
                                    new FilePart(Ascii.of("two"), MEBI, MEBI),
                                    new FilePart(Ascii.of("end"), 0, 0)))));
        });
        byte[] all = Files.readAllBytes(file.path);
        byte[] expected = new byte[3 + 5 + 3 + MEBI + 3];
        System.arraycopy("one".getBytes(StandardCharsets.US_ASCII), 0, expected, 0, 3);
        System.arraycopy(all, 10, expected, 3, 5);
        System.arraycopy("two".getBytes(StandardCharsets.US_ASCII), 0, expected, 8, 3);
        System.arraycopy(all, MEBI, expected, 11, MEBI);
        System.arraycopy("end".getBytes(StandardCharsets.US_ASCII), 0, expected, 11 + MEBI, 3);
        try (GatewayFixture gateway = Way.in(answers).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().body()).isEqualTo(expected);
            file.allClosed(1);
        }
    }

    // Clients

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"EPOLL", "NIO", "IO_URING", "WATCHED"})
    void aClientThatGoesAwayClosesTheFile(Way way) throws IOException {
        ServedFile file = ServedFile.of(folder, 32 * MEBI);
        try (GatewayFixture gateway =
                way.gateway(file.probe(), new AtomicLong()).start()) {
            RawClient resets = gateway.connect();
            resets.send(Ask.get("/")).readHead();
            resets.readBody(100_000);
            resets.reset();
            try (RawClient closes = gateway.connect()) {
                closes.send(Ask.get("/")).readHead();
                closes.readBody(100_000);
            }
            Ask.faults(gateway, Fault.CLIENT_GONE, 2);
            file.allClosed(2);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"EPOLL", "NIO", "IO_URING", "WATCHED"})
    void aClientThatStallsClosesTheFile(Way way) throws IOException {
        ServedFile file = ServedFile.of(folder, 32 * MEBI);
        try (GatewayFixture gateway = way.gateway(file.probe(), new AtomicLong())
                        .timeout("sendStallNanos", Duration.ofMillis(300))
                        .timeout("keepAliveNanos", Duration.ofMillis(100))
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8192))) {
            client.send(Ask.get("/")).readHead();
            Ask.faults(gateway, Fault.CLIENT_STALLED, 1);
            file.allClosed(1);
        }
    }

    @Test
    void theEndOfTheTimeToDrainCutsIt() throws IOException {
        ServedFile file = ServedFile.of(folder, 32 * MEBI);
        try (GatewayFixture gateway = Way.in(file.probe()).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            gateway.drain(Duration.ofMillis(50));
            file.allClosed(1);
            assertThat(client.readRest().truncated()).isTrue();
        }
    }

    @Test
    void whoSendsABodyAndReadsNothingBeforeIsAnswered() throws IOException {
        ServedFile file = ServedFile.of(folder, 8 * MEBI);
        try (GatewayFixture gateway = Way.in(file.probe()).start();
                RawClient client = gateway.connect().deadline(LONG).expectBody(file.content)) {
            client.send(Ask.postHead("/", 8 * MEBI)).send(file.content);
            assertThat(client.readResponse().bodyMismatch()).isEqualTo(-1);
            file.allClosed(1);
        }
    }

    // Files

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"EPOLL", "NIO", "IO_URING", "WATCHED"})
    void aFileThatShrinksCutsTheAnswer(Way way) throws IOException {
        ServedFile file = ServedFile.of(folder, 32 * MEBI);
        try (GatewayFixture gateway =
                        way.gateway(file.probe(), new AtomicLong()).start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8192))
                        .deadline(LONG)) {
            client.send(Ask.get("/")).readHead();
            try (FileChannel writes = FileChannel.open(file.path, StandardOpenOption.WRITE)) {
                writes.truncate(20 * MEBI);
            }
            RawResponse response = client.readRest();
            assertThat(response.truncated()).isTrue();
            assertThat(response.bodyBytes()).isLessThanOrEqualTo(20 * MEBI);
            Ask.faults(gateway, Fault.PLUGIN_FAILED, 1);
            file.allClosed(1);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"EPOLL", "WATCHED"})
    void aFileThatGrowsOrIsReplacedSendsWhatWasPromised(Way way) throws IOException {
        ServedFile file = ServedFile.of(folder, 32 * MEBI);
        try (GatewayFixture gateway =
                        way.gateway(file.probe(), new AtomicLong()).start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8192))
                        .deadline(LONG)
                        .expectBody(file.content)) {
            client.send(Ask.get("/")).readHead();
            Files.write(file.path, new byte[MEBI], StandardOpenOption.APPEND);
            Files.delete(file.path);
            Files.writeString(file.path, "another");
            RawResponse response = client.readRest();
            assertThat(response.truncated()).isFalse();
            assertThat(response.bodyBytes()).isEqualTo(file.content.bytes());
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("another");
            file.allClosed(2);
        }
    }

    @Test
    void aFileThatIsClosedAlreadyIsAFaultOfThePlugin() throws IOException {
        ServedFile file = ServedFile.of(folder, 100);
        Probe answers = Probe.probe().onRequest(_ -> {
            FileChannel channel = file.open();
            channel.close();
            return Outcome.respond(Response.file(200, List.of(), FileBody.of(channel, 0, 100)));
        });
        try (GatewayFixture gateway = Way.in(answers).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(500);
            Ask.faults(gateway, Fault.PLUGIN_FAILED, 1);
        }
    }

    // Plugins

    @Test
    void anOutcomeThatComesTooLateClosesTheFile() throws IOException {
        ServedFile file = ServedFile.of(folder, 100);
        CompletableFuture<Outcome> late = new CompletableFuture<>();
        try (GatewayFixture gateway = Way.in(Probe.probe().onRequest(_ -> Outcome.suspend(late)))
                        .timeout("pluginNanos", Duration.ofMillis(200))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(500);
            late.complete(Outcome.respond(file.response()));
            file.allClosed(1);
        }
    }

    @Test
    void anotherResponseInItsPlaceClosesIt() throws IOException {
        ServedFile file = ServedFile.of(folder, MEBI);
        ServedFile other = ServedFile.of(folder, 1000);
        Probe replaces = Probe.probe().onResponse(exchange -> Outcome.respond(other.response()));
        Probe throwing = Probe.probe().onResponse(exchange -> {
            if (exchange.request().path().equals("/throw")) {
                throw new IllegalStateException("as asked");
            }
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = Way.in(replaces, throwing, file.probe()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyBytes()).isEqualTo(1000);
            assertThat(client.send(Ask.get("/throw")).readResponse().bodyBytes())
                    .isEqualTo(1000);
            file.allClosed(2);
            other.allClosed(2);
        }
    }

    /** Writes each byte's opposite, and an end. */
    private static final class Negative implements BodyTransform {
        @Override
        public void chunk(ByteBuffer chunk, BodyOutput out) {
            byte[] bytes = new byte[chunk.remaining()];
            chunk.get(bytes);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) ~bytes[i];
            }
            out.write(bytes, 0, bytes.length);
        }

        @Override
        public void end(Head trailers, BodyOutput out) {
            out.write('!');
        }
    }

    @Test
    void aTransformChangesIt() throws IOException {
        ServedFile file = ServedFile.of(folder, 300_000);
        Probe changes = Probe.probe().onResponse(exchange -> {
            exchange.transformResponseBody(new Negative());
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = Way.in(changes, file.probe()).start();
                RawClient client = gateway.connect().deadline(LONG)) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            byte[] expected = Arrays.copyOf(Files.readAllBytes(file.path), 300_001);
            for (int i = 0; i < 300_000; i++) {
                expected[i] = (byte) ~expected[i];
            }
            expected[300_000] = '!';
            assertThat(response.body()).isEqualTo(expected);
            file.allClosed(1);
            assertThat(client.send(Ask.head("/")).readResponse("HEAD").status()).isEqualTo(200);
            file.allClosed(2);
        }
    }

    @Test
    void whoNeedsTheWholeGetsItUpToItsBound() throws IOException {
        ServedFile file = ServedFile.of(folder, 5000);
        ServedFile large = ServedFile.of(folder, 5001);
        List<Integer> seen = new ArrayList<>();
        Probe collects = Probe.probe().wholeResponse(5000).onResponse(exchange -> {
            seen.add(exchange.responseBody().remaining());
            return Outcome.CONTINUE;
        });
        Probe answers = Probe.probe()
                .onRequest(exchange -> Outcome.respond(
                        exchange.request().path().equals("/large") ? large.response() : file.response()));
        try (GatewayFixture gateway = Way.in(collects, answers).start();
                RawClient client = gateway.connect().expectBody(file.content)) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyMismatch()).isEqualTo(-1);
            assertThat(client.send(Ask.head("/")).readResponse("HEAD").header("Content-Length"))
                    .isEqualTo("5000");
            assertThat(client.send(Ask.get("/large")).readResponse().status()).isEqualTo(502);
            assertThat(seen).startsWith(5000, 0);
            file.allClosed(2);
            large.allClosed(1);
        }
    }
}
