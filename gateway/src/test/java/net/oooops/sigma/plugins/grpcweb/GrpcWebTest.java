package net.oooops.sigma.plugins.grpcweb;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestExchange;
import net.oooops.sigma.testkit.TestTrailers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrpcWebTest {
    private static final FieldName TYPE = FieldName.of("Content-Type");
    private static final byte[] HELLO = frame(0, "hello");
    private static final byte[] TWO = join(HELLO, frame(1, ""));

    private final PluginHarness plugin = PluginHarness.of(new GrpcWebFactory(), Map.of());

    private static byte[] frame(int flag, String message) {
        byte[] bytes = message.getBytes(ISO_8859_1);
        return ByteBuffer.allocate(5 + bytes.length)
                .put((byte) flag)
                .putInt(bytes.length)
                .put(bytes)
                .array();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(all::writeBytes);
        return all.toByteArray();
    }

    private static byte[] text(byte[] bytes) {
        return Base64.getEncoder().encode(bytes);
    }

    /** Each byte by itself. */
    private static byte[][] cut(byte[] bytes) {
        byte[][] parts = new byte[bytes.length][];
        for (int i = 0; i < bytes.length; i++) {
            parts[i] = new byte[] {bytes[i]};
        }
        return parts;
    }

    /** Parts of base64, each padded by itself, as a browser's client reads them. */
    private static byte[] decoded(byte[] text) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < text.length; i += 4) {
            all.writeBytes(Base64.getDecoder().decode(Arrays.copyOfRange(text, i, i + 4)));
        }
        return all.toByteArray();
    }

    private TestExchange asked(String type, String... more) throws Exception {
        List<String> fields = new ArrayList<>(List.of("Content-Type: " + type));
        fields.addAll(List.of(more));
        TestExchange exchange = TestExchange.of("POST", "/a.B/C", fields.toArray(String[]::new));
        plugin.request(exchange);
        return exchange;
    }

    @ParameterizedTest
    @CsvSource({
        "application/grpc-web, application/grpc",
        "application/grpc-web+proto, application/grpc+proto",
        "application/grpc-web-text, application/grpc",
        "application/grpc-web-text+proto, application/grpc+proto",
        "application/grpc-web+json; charset=utf-8, application/grpc+json",
        "Application/GRPC-Web+Proto, application/grpc+proto",
    })
    void aCallBecomesOneOfGrpc(String type, String ofGrpc) throws Exception {
        TestExchange exchange = asked(type, "X-Grpc-Web: 1", "X-User-Agent: grpc-web-javascript/0.1");
        assertThat(exchange.isGrpc()).isTrue();
        assertThat(exchange.request().lines())
                .contains("Content-Type: " + ofGrpc, "X-Grpc-Web: 1", "X-User-Agent: grpc-web-javascript/0.1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/grpc",
                "application/grpc+proto",
                "application/grpc-webby",
                "application/grpc-web-textual",
                "application/grpc-web/x",
                "text/plain"
            })
    void othersPassUntouched(String type) throws Exception {
        TestExchange exchange = asked(type);
        assertThat(exchange.isGrpc()).isFalse();
        assertThat(exchange.request().lines()).containsExactly("Content-Type: " + type);
        byte[] any = {(byte) 0x80, 1};
        assertThat(exchange.passRequest(any)).isEqualTo(any);
        plugin.response(exchange, 200, "Content-Type: application/grpc", "grpc-status: 5");
        assertThat(exchange.response().lines()).contains("grpc-status: 5", "Content-Type: application/grpc");
        assertThat(exchange.passResponse(new TestTrailers(), any)).isEqualTo(any);
    }

    @Test
    void otherMethodsPassUntouched() throws Exception {
        TestExchange exchange = TestExchange.of("OPTIONS", "/", "Content-Type: application/grpc-web");
        plugin.request(exchange);
        assertThat(exchange.isGrpc()).isFalse();
    }

    @Test
    void binaryRequestsPassAsTheyAre() throws Exception {
        assertThat(asked("application/grpc-web").passRequest(TWO)).isEqualTo(TWO);
        assertThat(asked("application/grpc-web").passRequest(cut(TWO))).isEqualTo(TWO);
        assertThat(asked("application/grpc-web").passRequest()).isEmpty();
    }

    @Test
    void textRequestsAreDecoded() throws Exception {
        assertThat(asked("application/grpc-web-text").passRequest(text(TWO))).isEqualTo(TWO);
        assertThat(asked("application/grpc-web-text").passRequest(cut(text(TWO))))
                .isEqualTo(TWO);
        byte[] long0 = frame(0, "x".repeat(100_000));
        assertThat(asked("application/grpc-web-text").passRequest(text(long0))).isEqualTo(long0);
    }

    /** Pieces may be padded each by itself, and cut anywhere. */
    @Test
    void paddedPiecesAreDecoded() throws Exception {
        for (int i = 0; i <= TWO.length; i++) {
            byte[] pieces = join(text(Arrays.copyOf(TWO, i)), text(Arrays.copyOfRange(TWO, i, TWO.length)));
            assertThat(asked("application/grpc-web-text").passRequest(cut(pieces)))
                    .isEqualTo(TWO);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "A, ends too early",
        "AAAAAA, ends too early",
        "AAAAAA=, ends too early",
        "=AAA, not base64",
        "A=AA, not base64",
        "AA=A, not base64",
        "AA-_, not base64",
        "'AA\n', not base64",
        "AAAAAAU, ends too early",
        "AAAA, ends within a frame",
        "AAAAAAVoZQ==, ends within a frame",
        "gAAAAAA=, frame with flag 128",
        "AgAAAAA=, frame with flag 2 (expected: 0 or 1)",
    })
    void whatIsNoBodyIsRefused(String body, String why) throws Exception {
        for (byte[][] parts : List.of(new byte[][] {body.getBytes(ISO_8859_1)}, cut(body.getBytes(ISO_8859_1)))) {
            TestExchange exchange = asked("application/grpc-web-text+proto");
            assertThatThrownBy(() -> exchange.passRequest(parts))
                    .isInstanceOfSatisfying(
                            RefusedBodyException.class,
                            e -> assertThat(e.reason()).hasToString("test: garbled"))
                    .hasMessageContaining(why);
            // What the gateway makes of it then.
            exchange.withFault(Fault.BAD_REQUEST);
            plugin.response(exchange, 200, "Content-Type: application/grpc", "grpc-status: 13", "grpc-message: Bad.");
            String told = new String(decoded(exchange.passResponse(new TestTrailers())), ISO_8859_1);
            assertThat(told).contains("grpc-status: 13\r\n").contains(why).doesNotContain("Bad.");
        }
    }

    @Test
    void trailersAreTheLastFrame() throws Exception {
        TestExchange exchange = asked("application/grpc-web+proto");
        plugin.response(exchange, 200, "Content-Type: application/grpc");
        TestTrailers trailers = new TestTrailers("Grpc-Status: 0", "X-Two: a", "X-Two: b");
        assertThat(exchange.passResponse(trailers, cut(TWO)))
                .isEqualTo(join(TWO, frame(0x80, "grpc-status: 0\r\nx-two: a\r\nx-two: b\r\n")));
        assertThat(trailers.lines()).isEmpty();
        assertThat(exchange.response().value(TYPE)).isEqualTo("application/grpc-web+proto");
    }

    @Test
    void answersOfTextAreDecodableAtEachPart() throws Exception {
        TestExchange exchange = asked("application/grpc-web-text");
        plugin.response(exchange, 200, "Content-Type: application/grpc+proto");
        assertThat(exchange.response().value(TYPE)).isEqualTo("application/grpc-web-text+proto");
        byte[] message = frame(0, "y".repeat(10_000));
        byte[] answer = exchange.passResponse(
                new TestTrailers("grpc-status: 0"), message, Arrays.copyOf(HELLO, 7), Arrays.copyOfRange(HELLO, 7, 10));
        assertThat(decoded(answer)).isEqualTo(join(message, HELLO, frame(0x80, "grpc-status: 0\r\n")));
    }

    @Test
    void acceptAsksForText() throws Exception {
        TestExchange exchange = asked("application/grpc-web", "Accept: text/html, application/grpc-web-text");
        plugin.response(exchange, 200, "Content-Type: application/grpc");
        assertThat(exchange.response().value(TYPE)).isEqualTo("application/grpc-web-text");
        assertThat(exchange.passResponse(new TestTrailers("grpc-status: 0"), HELLO))
                .isEqualTo(join(text(HELLO), text(frame(0x80, "grpc-status: 0\r\n"))));
    }

    @Test
    void trailersOnlyIsABodyAsWell() throws Exception {
        TestExchange exchange = asked("application/grpc-web");
        plugin.response(
                exchange, 200, "Content-Type: application/grpc", "grpc-status: 5", "grpc-message: no", "X-Other: 1");
        assertThat(exchange.response().lines())
                .containsExactlyInAnyOrder("Content-Type: application/grpc-web", "X-Other: 1");
        assertThat(exchange.passResponse(new TestTrailers()))
                .isEqualTo(frame(0x80, "grpc-status: 5\r\ngrpc-message: no\r\n"));
    }

    @Test
    void anAnswerWithoutStatusIsUnknown() throws Exception {
        TestExchange exchange = asked("application/grpc-web");
        plugin.response(exchange, 200, "Content-Type: application/grpc");
        assertThat(new String(exchange.passResponse(new TestTrailers(), HELLO), ISO_8859_1))
                .contains("grpc-status: 2\r\n");
    }

    @Test
    void anAnswerThatEndsWithinAFrame() throws Exception {
        for (int i = 1; i < HELLO.length; i++) {
            TestExchange exchange = asked("application/grpc-web");
            plugin.response(exchange, 200, "Content-Type: application/grpc");
            byte[] part = Arrays.copyOf(HELLO, i);
            assertThatThrownBy(() -> exchange.passResponse(new TestTrailers("grpc-status: 0"), part))
                    .isInstanceOf(RefusedBodyException.class)
                    .hasMessageContaining("response ends within a frame");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400, text/html, 13",
        "401, text/html, 16",
        "403, text/html, 7",
        "404, text/html, 12",
        "429, text/html, 14",
        "503, application/grpc, 14",
        "200, text/html, 2",
        "302, application/grpc, 2",
        "200, application/grpc-web, 2",
    })
    void whatIsNoAnswerOfGrpcIsAnError(int status, String type, String expected) throws Exception {
        TestExchange exchange = asked("application/grpc-web+proto");
        plugin.responseWithBody(exchange, status, "<html>", "Content-Type: " + type);
        assertThat(exchange.response().status()).isEqualTo(200);
        assertThat(exchange.response().value(TYPE)).isEqualTo("application/grpc-web+proto");
        assertThat(exchange.responseText())
                .contains("grpc-status: " + expected + "\r\n")
                .contains("HTTP status " + status);
    }
}
