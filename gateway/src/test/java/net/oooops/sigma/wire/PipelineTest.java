package net.oooops.sigma.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Step;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and responses of every framing, pipelined at random and cut at random: each gets its own answer, in order. */
class PipelineTest extends WireTest {
    private static final int REQUESTS = 400;
    private static final int BODY_BYTES_MAX = 20_000;
    private static final String[] FRAMES = {"length", "chunked", "close", "204", "304", "http10"};

    private record Request(int number, String method, String bytes, String body) {}

    @Override
    GatewayBuilder configure(GatewayBuilder builder) {
        return builder.limit("requestsPerConnectionMax", Integer.MAX_VALUE);
    }

    /** Echoes number and body, framed as the target says. */
    @Override
    Step answer(ReceivedRequest request) {
        String body = request.bodyText();
        Answer answer = Answer.ok(body).header("X-Number", String.valueOf(request.header("X-Number")));
        String frame = request.target().substring(1);
        return switch (frame) {
            case "chunked" -> answer.chunked(1 + body.length() / 3).trailer("X-Bytes", "" + body.length());
            case "close" -> answer.header("Connection", "close").untilClose();
            case "204", "304" ->
                Answer.of(Integer.parseInt(frame)).header("X-Number", String.valueOf(request.header("X-Number")));
            case "http10" -> answer.http10();
            default -> answer;
        };
    }

    private static Request request(Random random, int number) {
        String frame = FRAMES[random.nextInt(FRAMES.length)];
        String end = " HTTP/1.1\r\nHost: a\r\nX-Number: " + number + "\r\n";
        byte[] content = new byte[random.nextInt(4) == 0 ? random.nextInt(BODY_BYTES_MAX) : random.nextInt(50)];
        random.nextBytes(content);
        String body = new String(content, ISO_8859_1);
        return switch (random.nextInt(6)) {
            case 0 -> new Request(number, "HEAD", "HEAD /" + frame + end + "\r\n", "");
            case 1 -> new Request(number, "TRACE", "TRACE /" + frame + end + "\r\n", "");
            case 2 -> new Request(number, "GET", "\r\nGET /" + frame + end + "\r\n", "");
            case 3 ->
                new Request(
                        number,
                        "PUT",
                        "PUT /" + frame + end + "Content-Length: " + body.length() + "\r\n\r\n" + body,
                        body);
            case 4 ->
                new Request(
                        number,
                        "POST",
                        "POST /" + frame + end + "Transfer-Encoding: chunked\r\n\r\n" + chunks(random, body),
                        body);
            default ->
                new Request(
                        number,
                        "GET",
                        "GET /" + frame + end.replace("1.1", "1.0") + "Connection: keep-alive\r\n\r\n",
                        "");
        };
    }

    private static String chunks(Random random, String body) {
        StringBuilder chunks = new StringBuilder();
        int from = 0;
        while (from < body.length()) {
            int to = from + 1 + random.nextInt(body.length() - from);
            String extension = random.nextInt(5) == 0 ? ";e=\"0\"" : "";
            chunks.append(Integer.toHexString(to - from)).append(extension).append("\r\n");
            chunks.append(body, from, to).append("\r\n");
            from = to;
        }
        return chunks.append(random.nextBoolean() ? "0\r\n\r\n" : "00;x\r\nX-T: u\r\n\r\n")
                .toString();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void eachRequestGetsItsOwnAnswer(long seed) throws IOException {
        Random random = new Random(seed);
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(request(random, i));
        }
        int at = 0;
        while (at < REQUESTS) {
            at = converse(requests, at, random);
        }
    }

    /** Sends all from {@code first} on, and returns the number of the first one that the connection didn't live to answer. */
    private int converse(List<Request> requests, int first, Random random) throws IOException {
        StringBuilder all = new StringBuilder();
        requests.subList(first, REQUESTS).forEach(request -> all.append(request.bytes()));
        byte[] raw = all.toString().getBytes(ISO_8859_1);
        int pieceBytesMax = 1 + random.nextInt(3000);
        try (RawClient client = gateway.connect()) {
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> send(client, raw, pieceBytesMax), Thread::startVirtualThread);
            int at = first;
            boolean persists = true;
            while (at < REQUESTS && persists) {
                persists = answered(client, requests.get(at));
                at++;
            }
            if (!persists) {
                client.expectCleanClose();
            }
            client.reset();
            assertThat(sent).succeedsWithin(Duration.ofSeconds(10));
            return at;
        }
    }

    private static void send(RawClient client, byte[] raw, int pieceBytesMax) {
        Random random = new Random(raw.length);
        try {
            int from = 0;
            boolean open = true;
            while (from < raw.length && open) {
                int to = Math.min(raw.length, from + 1 + random.nextInt(pieceBytesMax));
                open = client.sendUnlessClosed(Arrays.copyOfRange(raw, from, to), to - from);
                from = to;
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean answered(RawClient client, Request request) throws IOException {
        RawResponse response = client.readResponse(request.method());
        if (request.method().equals("TRACE")) {
            assertThat(response.status()).isEqualTo(405);
        } else {
            assertThat(response.header("X-Number")).as(response.toString()).isEqualTo("" + request.number());
            boolean bodiless = request.method().equals("HEAD") || response.status() != 200;
            assertThat(response.bodyText()).isEqualTo(bodiless ? "" : request.body());
            assertThat(response.truncated()).isFalse();
        }
        return !"close".equals(response.header("Connection"));
    }
}
