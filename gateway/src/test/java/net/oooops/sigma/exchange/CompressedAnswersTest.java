package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugins.compression.Decoded;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code compression} on the wire, as decoders of others read it. */
class CompressedAnswersTest {
    private static final byte[] LARGE = body(10 << 20);

    static GatewayBuilder compressing(ScriptedUpstream upstream, Object... settings) {
        Map<String, Object> all = settings.length == 0 ? Map.of() : Map.of((String) settings[0], settings[1]);
        return GatewayFixture.to(upstream).plugin("compression", all);
    }

    /** Text that packs to about a third. */
    private static byte[] body(int size) {
        byte[] bytes = new byte[size];
        Random random = new Random(size);
        for (int i = 0; i < size; i++) {
            int drawn = random.nextInt(256);
            bytes[i] = (byte) ('a' + (drawn & 15 & drawn >> 4));
        }
        return bytes;
    }

    static String asking(String method, String coding) {
        return method + " /a HTTP/1.1\r\nHost: a\r\nAccept-Encoding: " + coding + "\r\n\r\n";
    }

    static Answer text(byte[] body) {
        return Answer.of(200).header("Content-Type", "text/plain").body(body);
    }

    @ParameterizedTest
    @CsvSource({
        "gzip,0,0", "br,0,0", "zstd,0,0",
        "gzip,0,1", "br,0,1", "zstd,0,1",
        "gzip,1,1", "br,1,1", "zstd,1,1",
        "gzip,5000,1", "br,5000,7", "zstd,5000,13",
        "gzip,100000,0", "br,100000,0", "zstd,100000,0",
        "gzip,10485760,0", "br,10485760,0", "zstd,10485760,0",
        "gzip,10485760,30000", "br,10485760,30000", "zstd,10485760,30000"
    })
    void othersReadIt(String coding, int size, int chunkBytes) throws IOException {
        byte[] body = size == LARGE.length ? LARGE : body(size);
        Answer answer = chunkBytes == 0 ? text(body) : text(body).chunked(chunkBytes);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> answer.trailer("X-Sum", "1"));
                GatewayFixture gateway = compressing(upstream, "min-length", 0).start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                RawResponse response = client.send(asking("GET", coding)).readResponse();
                assertThat(response.header("Content-Encoding")).isEqualTo(coding);
                assertThat(response.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
                assertThat(Arrays.equals(Decoded.of(coding, response.body()), body))
                        .isTrue();
                assertThat(response.bodyBytes()).isLessThan(100 + size * (chunkBytes == 1 ? 20 : 1));
                if (chunkBytes > 0) {
                    assertThat(response.trailers().values("X-Sum")).containsExactly("1");
                }
            }
        }
    }

    /** By what a user has, over both versions. */
    @ParameterizedTest
    @CsvSource({
        "gzip,--http1.1",
        "br,--http1.1",
        "zstd,--http1.1",
        "gzip,--http2-prior-knowledge",
        "br,--http2-prior-knowledge",
        "zstd,--http2-prior-knowledge"
    })
    void curlReadsIt(String coding, String version) throws Exception {
        Needed.here(
                output("curl", "--version").contains(coding.equals("br") ? "brotli" : coding.replace("gzip", "libz")),
                "curl with " + coding);
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> text(LARGE).chunked(20_000));
                GatewayFixture gateway = compressing(upstream)
                        .tls(null)
                        .http2(ListenerConfig.Http2.TOO)
                        .start()) {
            Process curl = new ProcessBuilder(
                            "curl",
                            "-s",
                            "--compressed",
                            version,
                            "-H",
                            "Accept-Encoding: " + coding,
                            "http://127.0.0.1:" + gateway.port() + "/")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            assertThat(Arrays.equals(curl.getInputStream().readAllBytes(), LARGE))
                    .isTrue();
            assertThat(curl.waitFor()).isZero();
        }
    }

    private static String output(String... command) throws Exception {
        try {
            return new String(
                    new ProcessBuilder(command).start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** Each event is there before the next one. */
    @ParameterizedTest
    @CsvSource({
        "gzip,text/event-stream", "br,text/event-stream", "zstd,text/event-stream",
        "gzip,application/x-ndjson", "br,text/plain", "zstd,application/json"
    })
    void eventsAreSeenAtOnce(String coding, String type) throws Exception {
        Gate[] gates = {new Gate(), new Gate(), new Gate()};
        Script script = Script.script()
                .readRequest()
                .send("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (Gate gate : gates) {
            script = script.send("9\r\ndata: x\n\n\r\n").stall(gate);
        }
        try (ScriptedUpstream upstream = ScriptedUpstream.play(script.send("0\r\n\r\n"));
                GatewayFixture gateway = compressing(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(asking("GET", coding)).readHead();
            InputStream events = Decoded.reading(coding, new Bodies(client));
            for (Gate gate : gates) {
                assertThat(new String(events.readNBytes(9), StandardCharsets.US_ASCII))
                        .isEqualTo("data: x\n\n");
                gate.release();
            }
            assertThat(events.read()).isEqualTo(-1);
        }
    }

    /** The body as it comes. */
    private static final class Bodies extends InputStream {
        private final RawClient client;
        private InputStream rest = InputStream.nullInputStream();
        private int left;
        private boolean ended;

        Bodies(RawClient client) {
            this.client = client;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] to, int from, int count) throws IOException {
            int read = rest.read(to, from, count);
            if (read > 0 || ended) {
                return read;
            }
            StringBuilder size = new StringBuilder();
            while (size.indexOf("\r\n") < 0) {
                size.append((char) client.readExactly(1)[0]);
            }
            left = Integer.parseInt(size.toString().strip(), 16);
            ended = left == 0;
            rest = new ByteArrayInputStream(client.readExactly(left));
            client.readExactly(2);
            return ended ? -1 : rest.read(to, from, count);
        }

        @Override
        public int available() {
            // What decoders ask before they read on.
            return 0;
        }
    }

    /** A failure of the node is one for the client. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "br", "zstd"})
    void aCutAnswerLooksCut(String coding) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99999\r\n\r\n")
                        .send(body(50_000))
                        .close());
                GatewayFixture gateway = compressing(upstream).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(asking("GET", coding)).readResponse().truncated())
                    .isTrue();
            assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isEqualTo(1);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
        }
    }

    /** Clients that go away leave nothing behind: as many as may be compressed at once, again and again. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "br", "zstd"})
    void clientsThatGoAway(String coding) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> text(LARGE));
                GatewayFixture gateway = compressing(upstream, "max-bodies", 1).start()) {
            for (int i = 0; i < 20; i++) {
                try (RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
                    client.send(asking("GET", coding));
                    assertThat(client.readHead().headers().values("Content-Encoding"))
                            .containsExactly(coding);
                    client.readExactly(100);
                }
                Ask.quiet(gateway);
            }
        }
    }

    @Test
    void headHasTheHeadOfGet() throws IOException {
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> text(body(1000)).header("ETag", "\"a\""));
                GatewayFixture gateway = compressing(upstream).start();
                RawClient client = gateway.connect()) {
            RawResponse get = client.send(asking("GET", "gzip")).readResponse();
            RawResponse head = client.send(asking("HEAD", "gzip")).readResponse("HEAD");
            assertThat(get.header("Content-Length")).isNull();
            for (String field : new String[] {"Content-Encoding", "ETag", "Vary", "Content-Type", "Content-Length"}) {
                assertThat(head.header(field)).as(field).isEqualTo(get.header(field));
            }
            assertThat(head.header("ETag")).isEqualTo("W/\"a\"");
        }
    }

    /** What a cache has it finds by what a 304 says (RFC 9111 section 4.3.4). */
    @ParameterizedTest
    @ValueSource(strings = {"If-None-Match: W/\"a\"", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"})
    void notModifiedSaysWhatTheAnswerSaid(String condition) throws IOException {
        String name = condition.substring(0, condition.indexOf(':'));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> request.header(name) == null
                        ? text(body(1000)).header("ETag", "\"a\"")
                        : Answer.of(304).header("ETag", "\"a\""));
                GatewayFixture gateway = compressing(upstream).start();
                RawClient client = gateway.connect()) {
            String request = asking("GET", "gzip");
            RawResponse whole = client.send(request).readResponse();
            assertThat(whole.header("ETag")).isEqualTo("W/\"a\"");
            String again = request.replace("\r\n\r\n", "\r\n" + condition + "\r\n\r\n");
            RawResponse same = client.send(again).readResponse();
            assertThat(same.status()).isEqualTo(304);
            for (String field : new String[] {"ETag", "Vary"}) {
                assertThat(same.header(field)).as(field).isNotNull().isEqualTo(whole.header(field));
            }
        }
    }

    /** Answers of Sigma's own are short, and as they were. */
    @Test
    void ownAnswers() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> text(body(1000)));
                GatewayFixture gateway = compressing(upstream).route("/there").start();
                RawClient client = gateway.connect()) {
            RawResponse missing = client.send(asking("GET", "gzip")).readResponse();
            assertThat(missing.status()).isEqualTo(404);
            assertThat(missing.bodyText()).isEqualTo("There is nothing here.\n");
            assertThat(missing.header("Content-Encoding")).isNull();
        }
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> text(body(1000)));
                GatewayFixture gateway =
                        compressing(upstream, "min-length", 0).route("/there").start();
                RawClient client = gateway.connect()) {
            RawResponse missing = client.send(asking("GET", "gzip")).readResponse();
            assertThat(missing.header("Content-Encoding")).isEqualTo("gzip");
            assertThat(missing.header("Content-Length")).isEqualTo(Integer.toString(missing.body().length));
            assertThat(new String(Decoded.of("gzip", missing.body()), StandardCharsets.UTF_8))
                    .isEqualTo("There is nothing here.\n");
        }
    }
}
