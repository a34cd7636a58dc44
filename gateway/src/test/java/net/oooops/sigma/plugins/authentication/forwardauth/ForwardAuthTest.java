package net.oooops.sigma.plugins.authentication.forwardauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Another server says who may. */
class ForwardAuthTest {
    private static final String PLAIN = "{ \"proxy-pass-id\": \"auth\" }";
    private static final String OPEN = "{ \"proxy-pass-id\": \"auth\", \"on-failure\": \"pass\" }";
    private static final String FULL = """
            { "proxy-pass-id": "auth", "path": "/verify?by=sigma", "node-fields": ["X-Groups"],
              "client-fields": ["Set-Cookie"], "consumer-field": "X-User" }""";

    private final List<ReceivedRequest> asked = new CopyOnWriteArrayList<>();
    private final List<ReceivedRequest> passed = new CopyOnWriteArrayList<>();

    private ScriptedUpstream node() {
        return ScriptedUpstream.start(request -> {
            passed.add(request);
            return Answer.ok("hello").header("Set-Cookie", "own=1");
        });
    }

    private ScriptedUpstream server(Answer answer) {
        return ScriptedUpstream.start(request -> {
            asked.add(request);
            return answer;
        });
    }

    private static TextGateway gateway(int node, int server, String settings) {
        return TextGateway.start("""
                {
                  "proxy-server": { "http": { "id": "web" } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [
                    { "id": "a", "path": "/*", "proxy-pass-id": "node", "plugin": { "forward-auth": %s } }
                  ] }],
                  "proxy-pass": [
                    { "id": "node", "upstream-id": "node" },
                    { "id": "auth", "upstream-id": "auth", "retry": { "enable": false } }
                  ],
                  "upstream": [
                    { "id": "node", "nodes": ["http://127.0.0.1:%d"] },
                    { "id": "auth", "nodes": ["http://127.0.0.1:%d"] }
                  ]
                }
                """.formatted(settings, node, server));
    }

    private RawResponse ask(Answer answer, String settings, String request) throws IOException {
        try (ScriptedUpstream node = node();
                ScriptedUpstream server = server(answer);
                TextGateway gateway = gateway(node.port(), server.port(), settings);
                RawClient client = gateway.connect()) {
            return client.send(request).readResponse();
        }
    }

    @Test
    void whoMayPasses() throws IOException {
        Answer answer = Answer.of(204)
                .header("X-User", "ada")
                .header("X-Groups", "a")
                .header("X-Groups", "b")
                .header("X-Other", "stays")
                .header("Set-Cookie", "session=2");
        RawResponse response = ask(
                answer,
                FULL,
                "POST /b/c?d=e HTTP/1.1\r\nHost: example.org\r\nCookie: s=1\r\nAuthorization: Bearer x\r\nX-Api: k\r\n"
                        + "X-Groups: root\r\nX-Consumer-Id: root\r\nContent-Length: 3\r\n\r\nabc");
        assertThat(response.bodyText()).isEqualTo("hello");
        assertThat(response.headers().values("Set-Cookie")).containsExactly("own=1", "session=2");
        ReceivedRequest question = asked.getFirst();
        assertThat(question.method() + " " + question.target()).isEqualTo("GET /verify?by=sigma");
        assertThat(question.bodyBytes()).isZero();
        assertThat(question.header("X-Forwarded-Method")).isEqualTo("POST");
        assertThat(question.header("X-Forwarded-Uri")).isEqualTo("/b/c?d=e");
        assertThat(question.header("X-Forwarded-Host")).isEqualTo("example.org");
        assertThat(question.header("X-Forwarded-For")).isEqualTo("127.0.0.1");
        assertThat(question.header("Cookie")).isEqualTo("s=1");
        assertThat(question.header("Authorization")).isEqualTo("Bearer x");
        assertThat(question.header("X-Api")).isNull();
        ReceivedRequest request = passed.getFirst();
        assertThat(request.bodyText()).isEqualTo("abc");
        assertThat(request.headers().values("X-Groups")).containsExactly("a", "b");
        assertThat(request.headers().values("X-Consumer-Id")).containsExactly("ada");
        assertThat(request.header("X-Other")).isNull();
        assertThat(request.header("X-Forwarded-Uri")).isNull();
    }

    /** A field that only the server may say is not the client's to say, also where the server says nothing. */
    @Test
    void whatTheServerDoesntSayTheClientDoesntEither() throws IOException {
        ask(Answer.ok(""), FULL, "GET / HTTP/1.1\r\nHost: a\r\nX-Groups: root\r\n\r\n");
        assertThat(passed.getFirst().header("X-Groups")).isNull();
        assertThat(passed.getFirst().header("X-Consumer-Id")).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 401, 403, 404, 429})
    void whoMayNotHearsItFromTheServer(int status) throws IOException {
        Answer answer = Answer.of(status)
                .body("log in")
                .header("WWW-Authenticate", "Bearer")
                .header("Location", "https://login.example.org/")
                .header("Set-Cookie", "way=back");
        RawResponse response = ask(answer, FULL, "GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.bodyText()).isEqualTo("log in");
        assertThat(response.headers().first("WWW-Authenticate")).isEqualTo("Bearer");
        assertThat(response.headers().first("Location")).isEqualTo("https://login.example.org/");
        assertThat(response.headers().values("Set-Cookie")).containsExactly("way=back");
        assertThat(passed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {304, 500, 503})
    void aServerThatFailsLetsNobodyIn(int status) throws IOException {
        RawResponse response = ask(Answer.of(status), PLAIN, "GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.status()).isEqualTo(503);
        assertThat(passed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatIsGoneDecidesAsWritten(boolean pass) throws IOException {
        String settings = pass ? OPEN : PLAIN;
        try (ScriptedUpstream node = node();
                PortHold nobody = ScriptedUpstream.refusedPort();
                TextGateway gateway = gateway(node.port(), nobody.port(), settings);
                RawClient client = gateway.connect()) {
            RawResponse response =
                    client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            assertThat(response.status()).isEqualTo(pass ? 200 : 503);
        }
        assertThat(passed).hasSize(pass ? 1 : 0);
    }

    @Test
    void aServerThatHangsLetsNobodyIn() throws IOException {
        Gate never = new Gate();
        try (ScriptedUpstream node = node();
                ScriptedUpstream server =
                        ScriptedUpstream.start(request -> Script.script().stall(never));
                TextGateway gateway =
                        gateway(node.port(), server.port(), "{ \"proxy-pass-id\": \"auth\", \"timeout\": \"300ms\" }");
                RawClient client = gateway.connect()) {
            RawResponse response =
                    client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            assertThat(response.status()).isEqualTo(503);
        }
        assertThat(passed).isEmpty();
    }

    /** Who may not hears it, however long the page is that says so: also where a server that says nothing would let everybody in. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDenialWithALargePageIsADenial(boolean pass) throws IOException {
        String settings = pass ? OPEN : PLAIN;
        Answer answer = Answer.of(401).body("x".repeat(100_000)).header("WWW-Authenticate", "Bearer");
        RawResponse response = ask(answer, settings, "GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.status()).isEqualTo(401);
        assertThat(response.headers().first("WWW-Authenticate")).isEqualTo("Bearer");
        assertThat(response.body()).isEmpty();
        assertThat(passed).isEmpty();
    }

    @Test
    void aDenialThatIsCutOffIsADenial() throws IOException {
        Answer denial = Answer.of(403).body("0123456789");
        try (ScriptedUpstream node = node();
                ScriptedUpstream server = ScriptedUpstream.start(request -> Script.script()
                        .sendCut(denial, denial.bytes().length - 5)
                        .close());
                TextGateway gateway = gateway(node.port(), server.port(), OPEN);
                RawClient client = gateway.connect()) {
            RawResponse response =
                    client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            assertThat(response.status()).as("its head was whole").isEqualTo(403);
        }
        assertThat(passed).isEmpty();
    }

    /** The status lets it pass, however the body goes on: nobody waits for it. */
    @ParameterizedTest
    @ValueSource(strings = {"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "Content-Length: 100\r\n\r\nabc"})
    void whoMayPassesAtTheHead(String rest) throws IOException {
        Gate never = new Gate();
        try (ScriptedUpstream node = node();
                ScriptedUpstream server = ScriptedUpstream.start(request -> Script.script()
                        .send("HTTP/1.1 200 OK\r\nX-User: bob\r\n" + rest)
                        .stall(never));
                TextGateway gateway = gateway(node.port(), server.port(), FULL.replace("{", "{ \"timeout\": \"1m\","));
                RawClient client = gateway.connect()) {
            RawResponse response =
                    client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            assertThat(response.status()).isEqualTo(200);
        }
        assertThat(passed.getFirst().header("X-Consumer-Id")).isEqualTo("bob");
    }

    /** What nobody waits for is read all the same, so that the next request is asked about by the same connection. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20, 20_000})
    void aConnectionLastsThatHasABody(int bytes) throws IOException {
        Answer answer = Answer.ok("x".repeat(bytes)).header("X-User", "ada");
        byte[] all = answer.bytes();
        AtomicInteger sent = new AtomicInteger();
        try (ScriptedUpstream node = node();
                ScriptedUpstream server = ScriptedUpstream.start(request -> {
                    Script cut = Script.script().sendCut(answer, all.length - bytes);
                    return cut.pause(Duration.ofMillis(5))
                            .send(Arrays.copyOfRange(all, all.length - bytes, all.length))
                            .step(connection -> sent.incrementAndGet());
                });
                TextGateway gateway = gateway(node.port(), server.port(), FULL);
                RawClient client = gateway.connect()) {
            for (int i = 1; i <= 20; i++) {
                assertThat(client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
                                .readResponse()
                                .status())
                        .isEqualTo(200);
                int count = i;
                Await.until("its body to be sent", () -> sent.get() == count);
            }
            // One that the gateway hasn't read to its end in time costs another connection.
            assertThat(server.connectionCount()).isLessThanOrEqualTo(3);
        }
        assertThat(passed).hasSize(20);
    }

    /** What doesn't end soon costs its connection, and no more: not one for each request, for as long as the server might take. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                "Content-Length: 100\r\n\r\nabc",
                "Content-Length: 65537\r\n\r\nabc"
            })
    void aBodyThatDoesNotEndSoonIsGivenUp(String rest) throws IOException {
        try (ScriptedUpstream node = node();
                ScriptedUpstream server = ScriptedUpstream.start(request ->
                        Script.script().send("HTTP/1.1 200 OK\r\n" + rest).awaitPeerClose());
                TextGateway gateway = gateway(node.port(), server.port(), FULL.replace("{", "{ \"timeout\": \"1m\","));
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
                                .readResponse()
                                .status())
                        .isEqualTo(200);
            }
            server.awaitAllClosed();
            assertThat(server.connectionCount()).isEqualTo(3);
        }
        assertThat(passed).hasSize(3);
    }

    /** What a client may send the server hears of, however long: no client gets round it by what can't be told. */
    @Test
    void asLongARequestAsMayBeIsAskedAbout() throws IOException {
        String line = "GET /" + "u".repeat(8170) + " HTTP/1.1\r\n";
        String cookie = ("Cookie: " + "c".repeat(7000) + "\r\n").repeat(4);
        RawResponse response = ask(Answer.of(403), OPEN, line + "Host: a\r\n" + cookie + "\r\n");
        assertThat(response.status()).isEqualTo(403);
        assertThat(asked.getFirst().headers().values("Cookie")).hasSize(4);
        assertThat(passed).isEmpty();
    }

    /** CGI and its like make one variable of both. */
    @Test
    void whatReadsTheSameIsTheServersToSay() throws IOException {
        ask(Answer.ok(""), FULL, "GET / HTTP/1.1\r\nHost: a\r\nX_Groups: root\r\nx-groups: root\r\n\r\n");
        assertThat(passed.getFirst().head()).doesNotContainIgnoringCase("groups");
    }

    @Test
    void whatTheServerSaysNoTrailerSays() throws IOException {
        ask(
                Answer.ok("").header("X-User", "ada"),
                FULL,
                "POST / HTTP/1.1\r\nHost: a\r\nX-User: root\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
                        + "X-A: 1\r\nX-Groups: root\r\nX-B: 2\r\nX-Consumer-Id: root\r\nX_User: root\r\nX-C: 3\r\n\r\n");
        assertThat(passed.getFirst().trailers()).hasToString("X-A: 1\nX-B: 2\nX-C: 3\n");
        assertThat(passed.getFirst().head()).doesNotContain("root");
    }

    @Test
    void twoConsumersAreNone() throws IOException {
        Answer answer = Answer.ok("").header("X-User", "ada").header("X-User", "root");
        assertThat(ask(answer, FULL, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").status())
                .isEqualTo(503);
        assertThat(passed).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"u,300", "'a\tb',1"})
    void aConsumerThatCantBeOneIsNoAnswer(String part, int times) throws IOException {
        Answer answer = Answer.ok("").header("X-User", part.repeat(times));
        RawResponse response = ask(answer, FULL, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.status()).isEqualTo(503);
        assertThat(passed).isEmpty();
    }

    /** Real servers say when: once. */
    @Test
    void aDenialHasOneDate() throws IOException {
        Answer answer = Answer.of(403)
                .header("Date", "Fri, 27 Nov 2026 00:00:00 GMT")
                .header("Connection", "X-Hop")
                .header("X-Hop", "1");
        RawResponse response = ask(answer, PLAIN, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.headers().values("Date")).containsExactly("Fri, 27 Nov 2026 00:00:00 GMT");
        assertThat(response.headers().has("X-Hop")).isFalse();
    }

    @Test
    void settingsThatCantBeUsedAreNamed() {
        List<Map<String, Object>> wrong = List.of(
                Map.of("proxy-pass-id", "a", "node-fields", List.of("no name")),
                Map.of("proxy-pass-id", "a", "node-fields", List.of("Content-Length")),
                Map.of("proxy-pass-id", "a", "node-fields", List.of("X-Consumer-Id")),
                Map.of("proxy-pass-id", "a", "request-fields", List.of("Connection")),
                Map.of("proxy-pass-id", "a", "path", "/a/../b"),
                Map.of("proxy-pass-id", "a", "path", "/%2e%2E/b"),
                Map.of("proxy-pass-id", "a", "path", "//b"),
                Map.of("proxy-pass-id", "a", "consumer-field", "a b"));
        for (Map<String, Object> settings : wrong) {
            assertThatThrownBy(() -> new ForwardAuthFactory().create(Settings.of(settings), new TestContext()))
                    .as(settings.toString())
                    .isInstanceOf(SettingsException.class);
        }
    }
}
