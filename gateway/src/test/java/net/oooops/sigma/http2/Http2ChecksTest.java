package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http2.Http2Client.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What HTTP/2 can say and HTTP/1.1 can't, or says otherwise (RFC 9113 section 8.1.1, section 10.3): none of it gets to a node. The request is
 * answered, and its stream reset; others on the same connection go on.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Http2ChecksTest {
    private static final String ATTACK = "/attack";
    private static final String BYSTANDER = "/bystander";
    private static final Set<Refusal> WELL_FORMED =
            EnumSet.of(Refusal.METHOD_TOO_LONG, Refusal.PATH_INVALID, Refusal.HOST_INVALID);
    private static final int PROTOCOL_ERROR = Http2Error.PROTOCOL_ERROR.code();

    private final ScriptedUpstream upstream =
            ScriptedUpstream.startOnHead(request -> Script.script().readBody().respond(Answer.ok(request.target())));
    private final GatewayFixture gateway = GatewayFixture.to(upstream).start();

    @AfterAll
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
        assertThat(upstream.requests())
                .filteredOn(request -> request.target().contains("smuggled")
                        || request.headers().has("X-Smuggled")
                        || (request.target().equals(ATTACK) && request.complete()))
                .isEmpty();
    }

    private static String reason(Refusal why) {
        return why.name().toLowerCase(Locale.ROOT);
    }

    private static String[] attack(String... more) {
        List<String> fields = new ArrayList<>(
                List.of(":method", "POST", ":scheme", "http", ":path", ATTACK, ":authority", "a.example"));
        fields.addAll(Arrays.asList(more));
        return fields.toArray(String[]::new);
    }

    private static String[] with(String name, String value) {
        String[] fields = attack();
        fields[Arrays.asList(fields).indexOf(name) + 1] = value;
        return fields;
    }

    private static String[] without(String name) {
        List<String> fields = new ArrayList<>(Arrays.asList(attack()));
        int at = fields.indexOf(name);
        fields.remove(at + 1);
        fields.remove(at);
        return fields.toArray(String[]::new);
    }

    /** What a test sends on stream 3. */
    private interface Sent {
        void by(Http2Client client) throws IOException;
    }

    private void refused(Refusal why, Sent sent) throws IOException {
        long before = gateway.counters().refusals(reason(why));
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", BYSTANDER).data(1, false, "some");
            sent.by(client);
            Response response = client.response(3);
            assertThat(response.status()).isEqualTo(why.fault().status());
            // What a request of HTTP/1.1 could say, too, is answered as there.
            assertThat(response.reset())
                    .isIn(WELL_FORMED.contains(why) ? List.of(PROTOCOL_ERROR, -1) : List.of(PROTOCOL_ERROR));
            client.data(1, true, "more");
            assertThat(client.response(1).text()).isEqualTo(BYSTANDER);
            assertThat(client.get(5, "/after").response(5).text()).isEqualTo("/after");
        }
        Await.until("no exchange", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
        assertThat(gateway.counters().refusals(reason(why))).isEqualTo(before + 1);
    }

    private static Arguments refused(Refusal why, String... fields) {
        return Arguments.of(why, fields);
    }

    static Stream<Arguments> heads() {
        return Stream.of(
                // 26: fields of the connection.
                refused(Refusal.CONNECTION_FIELD, attack("connection", "close")),
                refused(Refusal.CONNECTION_FIELD, attack("connection", "x-a", "x-a", "b")),
                refused(Refusal.CONNECTION_FIELD, attack("proxy-connection", "keep-alive")),
                refused(Refusal.CONNECTION_FIELD, attack("keep-alive", "timeout=5")),
                refused(Refusal.CONNECTION_FIELD, attack("transfer-encoding", "chunked")),
                refused(Refusal.CONNECTION_FIELD, attack("transfer-encoding", "identity", "content-length", "3")),
                refused(Refusal.CONNECTION_FIELD, attack("upgrade", "websocket")),
                refused(Refusal.CONNECTION_FIELD, attack("te", "chunked")),
                // 27: names and values that a line of HTTP/1.1 ends in.
                refused(Refusal.FIELD_CASE, attack("X-A", "b")),
                refused(Refusal.FIELD_CASE, attack("Transfer-Encoding", "chunked")),
                refused(Refusal.FIELD_NAME, attack("x-a: b\r\nx-smuggled", "c")),
                refused(Refusal.FIELD_NAME, attack("transfer-encoding: chunked\r\nx-a", "c")),
                refused(Refusal.FIELD_NAME, attack("x-a:", "b")),
                refused(Refusal.FIELD_NAME, attack("x a", "b")),
                refused(Refusal.FIELD_NAME, attack("", "b")),
                refused(Refusal.FIELD_VALUE, attack("x-a", "b\r\nx-smuggled: 1")),
                refused(Refusal.FIELD_VALUE, attack("x-a", "b\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n")),
                refused(Refusal.FIELD_VALUE, attack("x-a", "b\nx-smuggled: 1")),
                refused(Refusal.FIELD_VALUE, attack("x-a", "b\0")),
                refused(Refusal.FIELD_VALUE, attack("x-a", " b")),
                refused(Refusal.FIELD_VALUE, attack("cookie", "a=1\r\nx-smuggled: 1")),
                // 28: pseudo-header fields.
                refused(Refusal.PSEUDO_FIELD, without(":method")),
                refused(Refusal.PSEUDO_FIELD, without(":scheme")),
                refused(Refusal.PSEUDO_FIELD, without(":path")),
                refused(Refusal.PSEUDO_FIELD, attack(":path", "/smuggled")),
                refused(Refusal.PSEUDO_FIELD, attack(":method", "GET")),
                refused(Refusal.PSEUDO_FIELD, attack(":authority", "b")),
                refused(Refusal.PSEUDO_FIELD, attack(":status", "200")),
                refused(Refusal.PSEUDO_FIELD, attack("x-a", "b", ":path", "/smuggled")),
                refused(Refusal.PSEUDO_FIELD, "x-a", "b"),
                refused(Refusal.PSEUDO_FIELD, with(":scheme", "http://a/smuggled?")),
                refused(Refusal.METHOD, with(":method", "GET /smuggled HTTP/1.1\r\n")),
                refused(Refusal.METHOD, with(":method", "G ET")),
                refused(Refusal.METHOD_TOO_LONG, with(":method", "M".repeat(33))),
                refused(Refusal.TARGET, with(":path", "/smuggled HTTP/1.1\r\nx-a: b")),
                refused(Refusal.TARGET, with(":path", "/smuggled ")),
                refused(Refusal.TARGET, with(":path", "/smuggled#a")),
                refused(Refusal.TARGET, with(":path", "/smuggled\n")),
                refused(Refusal.TARGET_FORM, with(":path", "smuggled")),
                refused(Refusal.TARGET_FORM, with(":path", "http://a/smuggled")),
                refused(Refusal.TARGET_FORM, with(":path", "*")),
                refused(Refusal.TARGET_FORM, with(":path", "")),
                refused(Refusal.PATH_INVALID, with(":path", "/../smuggled")),
                refused(Refusal.AUTHORITY_DIFFERS, attack("host", "b.example")),
                refused(Refusal.HOST_MISSING, without(":authority")),
                refused(Refusal.HOST_INVALID, with(":authority", "a\r\nx-smuggled: 1")),
                refused(Refusal.HOST_INVALID, with(":authority", "a b")),
                refused(Refusal.HOST_INVALID, with(":authority", "user@a")),
                refused(Refusal.HOST_INVALID, with(":authority", "a:99999")),
                // 29: lengths.
                refused(Refusal.CONTENT_LENGTH_DUPLICATE, attack("content-length", "3", "content-length", "3")),
                refused(Refusal.CONTENT_LENGTH, attack("content-length", "3, 3")),
                refused(Refusal.CONTENT_LENGTH, attack("content-length", "+3")));
    }

    @ParameterizedTest
    @MethodSource("heads")
    void headsThatAreRefused(Refusal why, String[] fields) throws IOException {
        int flags = Http2Client.END_HEADERS;
        byte[] block = Http2Client.literals(fields);
        refused(why, client -> client.frame(Http2Client.HEADERS, flags, 3, block));
    }

    /** With the whole of a body behind it, which nobody reads. */
    @Test
    void aBodyBehindARefusedHeadIsThrownAway() throws IOException {
        refused(
                Refusal.FIELD_CASE,
                client -> client.frame(
                                Http2Client.HEADERS,
                                Http2Client.END_HEADERS,
                                3,
                                Http2Client.literals(attack("X-A", "b")))
                        .data(3, false, "GET /smuggled HTTP/1.1\r\n\r\n")
                        .data(3, true, "more"));
    }

    @Test
    void lessThanContentLength() throws IOException {
        refused(
                Refusal.BODY_LENGTH,
                client ->
                        client.headers(3, false, attack("content-length", "5")).data(3, true, "four"));
    }

    @Test
    void lessThanContentLengthBeforeTrailers() throws IOException {
        refused(
                Refusal.BODY_LENGTH,
                client -> client.headers(3, false, attack("content-length", "5"))
                        .data(3, false, "four")
                        .headers(3, true, "x-a", "b"));
    }

    @Test
    void nothingWhereContentLengthSaysSomething() throws IOException {
        refused(Refusal.BODY_LENGTH, client -> client.headers(3, true, attack("content-length", "5")));
    }

    /** What is beyond the length would be another request to the node. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void moreThanContentLength(boolean atOnce) throws IOException {
        refused(Refusal.BODY_LENGTH, client -> {
            client.headers(3, false, attack("content-length", "4"));
            if (atOnce) {
                client.data(3, true, "fourGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            } else {
                client.data(3, false, "fou").data(3, true, "rGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            }
        });
    }

    /** However much later they come: a node would have answered meanwhile. */
    @Test
    void bytesThoughContentLengthIsZero() throws IOException {
        refused(Refusal.BODY_LENGTH, client -> {
            client.headers(3, false, attack("content-length", "0")).ping(1, false);
            client.await(Http2Client.PING);
            client.data(3, true, "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
        });
        assertThat(upstream.requests())
                .filteredOn(request -> request.target().equals(ATTACK))
                .noneMatch(request -> request.headers().values("Content-Length").contains("0"));
    }

    @Test
    void anEndOfItsOwnThoughContentLengthIsZero() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/empty", "content-length", "0").data(1, true, "");
            assertThat(client.response(1).text()).isEqualTo("/empty");
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.header("Content-Length")).isEqualTo("0");
            client.request(3, false, "POST", "/trailers", "content-length", "0").headers(3, true, "x-a", "b");
            assertThat(client.response(3).text()).isEqualTo("/trailers");
        }
    }

    static Stream<Arguments> trailers() {
        return Stream.of(
                refused(Refusal.TRAILER_FORBIDDEN, "content-length", "5"),
                refused(Refusal.TRAILER_FORBIDDEN, "host", "b"),
                refused(Refusal.TRAILER_FORBIDDEN, "content-type", "a/b"),
                refused(Refusal.TRAILER_FORBIDDEN, "authorization", "secret"),
                refused(Refusal.TRAILER_FORBIDDEN, "cookie", "session=1"),
                refused(Refusal.CONNECTION_FIELD, "transfer-encoding", "chunked"),
                refused(Refusal.CONNECTION_FIELD, "connection", "close"),
                refused(Refusal.PSEUDO_FIELD, ":path", "/smuggled"),
                refused(Refusal.PSEUDO_FIELD, "x-a", "b", ":status", "200"),
                refused(Refusal.FIELD_CASE, "X-A", "b"),
                refused(Refusal.FIELD_NAME, "x-a\r\nx-smuggled", "b"),
                refused(Refusal.FIELD_VALUE, "x-a", "b\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n"));
    }

    @ParameterizedTest
    @MethodSource("trailers")
    void trailersThatAreRefused(Refusal why, String[] fields) throws IOException {
        int flags = Http2Client.END_HEADERS | Http2Client.END_STREAM;
        byte[] block = Http2Client.literals(fields);
        refused(
                why,
                client -> client.headers(3, false, attack())
                        .data(3, false, "some")
                        .frame(Http2Client.HEADERS, flags, 3, block));
    }

    /** 30: neither length nor end; and 31: nobody was told that there is extended CONNECT. */
    @Test
    void requestsOfUnknownLengthAreChunked() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "GET", "/unknown").data(1, true, "");
            assertThat(client.response(1).status()).isEqualTo(200);
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(seen.bodyBytes()).isZero();
            client.headers(3, false, ":method", "CONNECT", ":authority", "smuggled:443");
            assertThat(client.response(3).status()).isGreaterThanOrEqualTo(400);
        }
    }
}
