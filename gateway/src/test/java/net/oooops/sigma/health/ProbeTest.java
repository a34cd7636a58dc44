package net.oooops.sigma.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import net.oooops.sigma.call.BoltMessage;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.ActiveCheckConfig.Bolt;
import net.oooops.sigma.config.ActiveCheckConfig.Http;
import net.oooops.sigma.config.ActiveCheckConfig.Question;
import net.oooops.sigma.config.ActiveCheckConfig.Statuses;
import net.oooops.sigma.config.ActiveCheckConfig.Tcp;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each kind of check sends, and what it takes for an answer. */
class ProbeTest {
    private static final String PASSED = "passed";
    private static final String WHOLE = "x".repeat(Probe.BYTES_MAX - 2);

    /** What one check of a node says of it, without the node's name. */
    private static String ask(Question question, int port) {
        try (CheckedNodes nodes = new CheckedNodes()) {
            nodes.checker().watch(CheckedNodes.upstream(question, CheckedNodes.rhythm(60_000, 60_000, 1000), port));
            return nodes.first().replace(" 127.0.0.1:" + port, "");
        }
    }

    private static Script answering(Answer answer) {
        return Script.script().readRequest().respond(answer).awaitPeerClose();
    }

    private static Script sending(String bytes) {
        return Script.script().readRequest().send(bytes).awaitPeerClose();
    }

    @TestFactory
    Stream<DynamicTest> httpHeads() {
        Http plain = CheckedNodes.get(null);
        Http two = new Http("/", "GET", null, List.of(new Statuses(200, 200), new Statuses(401, 403)), null);
        Map<String, Asked> cases = new LinkedHashMap<>();
        cases.put("200", new Asked(plain, answering(Answer.of(200)), PASSED));
        cases.put(
                "302 isn't followed", new Asked(plain, answering(Answer.of(302).header("Location", "/b")), PASSED));
        cases.put("204", new Asked(plain, answering(Answer.of(204)), PASSED));
        cases.put(
                "1xx first",
                new Asked(
                        plain,
                        Script.script()
                                .readRequest()
                                .interim(103)
                                .respond(Answer.of(200))
                                .awaitPeerClose(),
                        PASSED));
        cases.put("404", new Asked(plain, answering(Answer.of(404)), "failed status 404 (expected: 200-399)"));
        cases.put("402 of a list", new Asked(two, answering(Answer.of(402)), PASSED));
        cases.put(
                "204 of a list",
                new Asked(two, answering(Answer.of(204)), "failed status 204 (expected: 200, 401-403)"));
        cases.put("HTTP/1.0", new Asked(plain, answering(Answer.ok("x").http10()), PASSED));
        cases.put(
                "a body that never ends",
                new Asked(plain, sending("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), PASSED));
        cases.put(
                "no answer",
                new Asked(plain, Script.script().readRequest().awaitPeerClose(), "failed no answer within 1000 ms"));
        cases.put(
                "half a head",
                new Asked(plain, sending("HTTP/1.1 200 OK\r\nContent-"), "failed no answer within 1000 ms"));
        cases.put(
                "closed",
                new Asked(plain, Script.script().readRequest().close(), "failed closed before its answer was whole"));
        cases.put("reset", new Asked(plain, Script.script().readRequest().reset(), "failed "));
        cases.put("garbage", new Asked(plain, sending("\u0001\u0002\u0003 garbage\r\n\r\n"), "failed "));
        cases.put(
                "a head without end",
                new Asked(plain, sending("HTTP/1.1 200 OK\r\nA: " + "x".repeat(20_000)), "failed "));
        cases.put("a line without end", new Asked(plain, sending("HTTP/1.1 200 " + "x".repeat(20_000)), "failed "));
        return cases.entrySet().stream().map(each -> dynamicTest(each.getKey(), each.getValue()::check));
    }

    @TestFactory
    Stream<DynamicTest> httpBodies() {
        Http ok = CheckedNodes.get("ok");
        Map<String, Asked> cases = new LinkedHashMap<>();
        cases.put(
                "text in chunks",
                new Asked(ok, answering(Answer.ok("all is ok here").chunked(1)), PASSED));
        cases.put(
                "text that isn't there",
                new Asked(ok, answering(Answer.ok("all is o-k")), "failed no \"ok\" in the body"));
        cases.put(
                "text until the end",
                new Asked(ok, answering(Answer.ok("it is ok").untilClose()), PASSED));
        cases.put(
                "text beyond the bound",
                new Asked(
                        ok,
                        answering(Answer.ok(WHOLE + "-ok" + WHOLE)),
                        "failed no \"ok\" in the first 65536 bytes of the body"));
        cases.put(
                "text without the right status",
                new Asked(ok, answering(Answer.of(500).body("ok")), "failed status 500 (expected: 200-399)"));
        cases.put(
                "text in a body that is cut",
                new Asked(
                        ok,
                        Script.script()
                                .readRequest()
                                .sendCut(Answer.ok("all is ok here"), 45)
                                .close(),
                        "failed closed before its answer was whole"));
        cases.put(
                "text that never comes",
                new Asked(
                        ok,
                        sending("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\no"),
                        "failed no answer within 1000 ms"));
        cases.put("text", new Asked(ok, answering(Answer.ok("all is ok here")), PASSED));
        cases.put("text at the bound", new Asked(ok, answering(Answer.ok(WHOLE + "ok" + WHOLE)), PASSED));
        return cases.entrySet().stream().map(each -> dynamicTest(each.getKey(), each.getValue()::check));
    }

    @TestFactory
    Stream<DynamicTest> tcp() {
        Tcp hello = new Tcp("", hex("220 "));
        Map<String, Asked> cases = new LinkedHashMap<>();
        cases.put("it is there", new Asked(new Tcp("", ""), Script.script().awaitPeerClose(), PASSED));
        cases.put("greeted", new Asked(hello, Script.script().send("220 mail").awaitPeerClose(), PASSED));
        cases.put(
                "greeted slowly",
                new Asked(
                        hello,
                        Script.script()
                                .trickle("1 220 mail", 1, CheckedNodes.millis(5))
                                .awaitPeerClose(),
                        PASSED));
        cases.put(
                "greeted otherwise",
                new Asked(hello, Script.script().send("554 no").awaitPeerClose(), "failed no answer within 1000 ms"));
        cases.put(
                "not greeted, closed",
                new Asked(hello, Script.script().send("554 no").close(), "failed closed before what is expected came"));
        cases.put(
                "at the bound",
                new Asked(
                        hello,
                        Script.script()
                                .send("x".repeat(Probe.BYTES_MAX - 4) + "220 ")
                                .awaitPeerClose(),
                        PASSED));
        cases.put(
                "beyond the bound",
                new Asked(
                        hello,
                        Script.script()
                                .send("x".repeat(Probe.BYTES_MAX - 3) + "220 x")
                                .awaitPeerClose(),
                        "failed what is expected isn't in the first 65536 bytes"));
        return cases.entrySet().stream().map(each -> dynamicTest(each.getKey(), each.getValue()::check));
    }

    @Test
    void tcpSendsFirst() {
        assertThat(play(new Tcp(hex("PING\r\n"), hex("+PONG")), node -> {
                    assertThat(node.readExactly(6)).isEqualTo("PING\r\n".getBytes(StandardCharsets.UTF_8));
                    node.send("+PONG\r\n");
                }))
                .isEqualTo(PASSED);
    }

    @Test
    void tcpThatOnlySendsPasses() {
        assertThat(play(new Tcp(hex("QUIT"), ""), node -> node.readExactly(4))).isEqualTo(PASSED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void boltSendsAHeartbeatOfItsProtocol(int protocol) {
        assertThat(play(new Bolt(protocol), node -> {
                    BoltMessage heartbeat = BoltMessage.read(node);
                    assertThat(List.of(heartbeat.layout(), heartbeat.type(), heartbeat.command()))
                            .containsExactly(protocol, 1, 0);
                    // What isn't the answer is passed over.
                    node.send(BoltMessage.heartbeat(protocol, 77).bytes());
                    node.send(heartbeat
                            .answer("")
                            .withId(heartbeat.id() + 1)
                            .withWord(1)
                            .bytes());
                    byte[] answer = heartbeat.answer("").bytes();
                    node.send(Arrays.copyOf(answer, 9));
                    node.send(Arrays.copyOfRange(answer, 9, answer.length));
                }))
                .isEqualTo(PASSED);
    }

    @Test
    void boltTakesNothingElseForAnAnswer() {
        assertThat(play(
                        new Bolt(1),
                        node -> node.send(
                                BoltMessage.read(node).answer("").withWord(3).bytes())))
                .isEqualTo("failed status 3 (expected: 0)");
        assertThat(play(new Bolt(1), node -> node.send("HTTP/1.1 400 Bad Request\r\n\r\n")))
                .isEqualTo("failed no frame of Bolt: PROTOCOL");
        assertThat(play(new Bolt(1), BoltMessage::read)).isEqualTo("failed no answer within 1000 ms");
        byte[] other = BoltMessage.request(1, 5, "a.B", "x".repeat(1000)).bytes();
        assertThat(play(new Bolt(1), node -> {
                    for (int i = 0; i < Probe.BYTES_MAX / other.length + 1; i++) {
                        node.send(other);
                    }
                }))
                .isEqualTo("failed no answer to the heartbeat in the first 65536 bytes");
        assertThat(play(
                        new Bolt(2),
                        node -> node.send(BoltMessage.request(2, 5, "a.B", "x".repeat(70_000))
                                .bytes())))
                .isEqualTo("failed no frame of Bolt: TOO_LARGE");
    }

    @Test
    void whatIsRefusedOrHangsFails() {
        try (PortHold refusing = ScriptedUpstream.refusedPort();
                PortHold hanging = ScriptedUpstream.fullBacklogPort()) {
            for (Question question : List.of(CheckedNodes.get(null), new Tcp("", ""), new Bolt(1))) {
                assertThat(ask(question, refusing.port())).isEqualTo("failed Connection refused");
                assertThat(ask(question, hanging.port())).isEqualTo("failed no connection within 1000 ms");
            }
        }
    }

    @Test
    void theRequestIsAsWritten() {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("fine"));
                CheckedNodes nodes = new CheckedNodes()) {
            Http head = new Http("/b", "HEAD", "shop.example.com:81", List.of(new Statuses(200, 200)), null);
            nodes.checker().watch(CheckedNodes.upstream(head, CheckedNodes.FAST, node.port()));
            nodes.awaitCount(PASSED, 3);
            nodes.checker().watch(CheckedNodes.upstream(CheckedNodes.get("fine"), CheckedNodes.FAST, node.port()));
            nodes.awaitCount("up", 2);

            ReceivedRequest first = node.request(0);
            assertThat(first.method() + " " + first.target()).isEqualTo("HEAD /b");
            assertThat(first.header("Host")).isEqualTo("shop.example.com:81");
            assertThat(first.header("Connection")).isEqualToIgnoringCase("close");
            ReceivedRequest last = node.requests().getLast();
            assertThat(last.method() + " " + last.target()).isEqualTo("GET /health?a=b");
            assertThat(last.header("Host")).isEqualTo("127.0.0.1:" + node.port());
            assertThat(last.header("User-Agent")).isEqualTo("sigma-health");
            // None was used twice; another may be open by now whose request isn't read yet.
            int requests = node.requestCount();
            assertThat(node.connectionCount()).isGreaterThanOrEqualTo(requests);
        }
    }

    @Test
    void anotherPortIsAsked() {
        try (PortHold refusing = ScriptedUpstream.refusedPort();
                ScriptedUpstream checks = ScriptedUpstream.start(request -> Answer.ok("fine"));
                CheckedNodes nodes = new CheckedNodes()) {
            ActiveCheckConfig config =
                    new ActiveCheckConfig(CheckedNodes.get(null), checks.port(), CheckedNodes.FAST, 2, 3);
            nodes.checker().watch(CheckedNodes.upstream(config, "127.0.0.1", refusing.port()));
            nodes.awaitCount("passed 127.0.0.1:" + refusing.port(), 1);
            assertThat(checks.request(0).header("Host")).isEqualTo("127.0.0.1:" + checks.port());
        }
    }

    /** Plays a node by hand, on a thread of its own. */
    private interface Play {
        void play(RawClient node) throws IOException;
    }

    private static String play(Question question, Play play) {
        try (RawServer server = RawServer.start()) {
            CompletableFuture<Void> played = new CompletableFuture<>();
            Gate told = new Gate();
            Thread.ofVirtual().start(() -> {
                try (RawClient node = server.accept()) {
                    play.play(node);
                    told.pass();
                    played.complete(null);
                } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
                    played.completeExceptionally(e);
                }
            });
            String found = ask(question, server.port());
            told.release();
            played.orTimeout(10, TimeUnit.SECONDS).join();
            return found;
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A node's script, and what is found. */
    private record Asked(Question question, Script script, String found) {
        void check() {
            try (ScriptedUpstream node = ScriptedUpstream.play(script)) {
                String told = ask(question, node.port());
                if (found.equals("failed ")) {
                    assertThat(told).startsWith("failed ").hasSizeLessThan(300).doesNotContain("within", "\n", "\r");
                } else {
                    assertThat(told).isEqualTo(found);
                }
                node.awaitAllClosed();
            }
        }
    }
}
