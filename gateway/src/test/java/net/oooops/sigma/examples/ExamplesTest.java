package net.oooops.sigma.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.oooops.sigma.call.BoltMessage;
import net.oooops.sigma.cli.Console;
import net.oooops.sigma.cli.Main;
import net.oooops.sigma.health.CheckView.State;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Handler;
import net.oooops.sigma.testkit.Headers;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.SigmaCommand;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the folder {@code examples/} promises, file by file. */
@Order(1)
class ExamplesTest {
    private static final String GRPC = "application/grpc";
    /** What a process logs beside what it says. */
    private static final Pattern LOGGED = Pattern.compile("(?m)^\\S+ INFO .*\\R");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    static List<String> files() {
        return ExampleFiles.names();
    }

    @BeforeAll
    static void makeCertificates() {
        ExampleFiles.makeCertificates();
    }

    @Test
    void theReadmeHasARowForEveryFileAndNoOther() {
        assertThat(ExampleFiles.linesToTry().keySet()).containsExactlyElementsOf(ExampleFiles.names());
    }

    @Test
    void everyFileIsExpectedToDoSomething() {
        assertThat(Promises.BY_FILE.keySet()).containsExactlyInAnyOrderElementsOf(ExampleFiles.names());
    }

    @ParameterizedTest
    @MethodSource("files")
    void isValidWithoutWarnings(String name) throws Exception {
        List<String> words = new ArrayList<>(
                List.of("check", "-conf", ExampleFiles.config(name).toString()));
        if (name.equals(ExampleFiles.OPTIONS)) {
            words.addAll(List.of("-options", ExampleFiles.folder().resolve(name).toString()));
        }

        Said said = said(words);

        assertThat(said.err()).isEmpty();
        assertThat(said.out()).contains(": valid — ");
        assertThat(said.exitCode()).isZero();
    }

    private record Said(int exitCode, String out, String err) {}

    /** What {@code -Dsigma.command} says to that, where it names one. */
    private Said said(List<String> words) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Optional<List<String>> command = SigmaCommand.words();
        if (command.isEmpty()) {
            int exitCode = Main.execute(words.toArray(String[]::new), new Console(print(out), print(err)));
            return new Said(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        }
        Path outFile = dir.resolve("out");
        Path errFile = dir.resolve("err");
        Process process = new ProcessBuilder(
                        Stream.concat(command.get().stream(), words.stream()).toList())
                .redirectOutput(outFile.toFile())
                .redirectError(errFile.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Said(
                process.exitValue(),
                Files.readString(outFile),
                LOGGED.matcher(Files.readString(errFile)).replaceAll(""));
    }

    private static PrintStream print(ByteArrayOutputStream out) {
        return new PrintStream(out, true, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("files")
    void doesWhatItsRowSays(String name) throws Exception {
        List<Promise> promises = Objects.requireNonNull(Promises.BY_FILE.get(name), "no promise for " + name);
        assertThat(promises.getFirst().line())
                .isEqualTo(ExampleFiles.linesToTry().get(name));
        try (RunningExample example = start(name, ExamplesTest::echo)) {
            for (Promise promise : promises) {
                if (promise.line().startsWith("dig ")) {
                    passesDatagrams(example);
                } else if (promise.line().contains(" -p -x ")) {
                    opensATunnel(example);
                } else {
                    keep(example, promise);
                }
            }
        }
    }

    /** One question in three goes to 9001, as the weights say; what the nodes of DNS would answer is for them to know. */
    private static void passesDatagrams(RunningExample example) throws IOException {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            answers.add(UdpEcho.ask(example.portOf(8053), "question"));
        }
        assertThat(answers).containsOnly("9001 question", "9002 question");
        assertThat(answers.stream().filter("9001 question"::equals)).hasSize(2);
        String kept = UdpEcho.ask(example.portOf(8514), "line");
        assertThat(kept).isIn("9003 line", "9004 line");
        assertThat(UdpEcho.ask(example.portOf(8514), "line")).isEqualTo(kept);
    }

    /** What curl asks a proxy for, where it is to reach the host through a tunnel; what is behind a proxy is for that one to know. */
    private static void opensATunnel(RunningExample example) throws IOException {
        String answer = "9001 CONNECT example.com:80";
        try (RawClient client = example.connect(8080)) {
            client.send("CONNECT example.com:80 HTTP/1.1\r\nHost: example.com:80\r\nUser-Agent: curl/8\r\n"
                    + "Proxy-Connection: Keep-Alive\r\n\r\n");
            assertThat(client.readHead("CONNECT").status()).isEqualTo(200);
            assertThat(client.readExactly(answer.length()))
                    .asString(StandardCharsets.ISO_8859_1)
                    .isEqualTo(answer);
        }
        assertThat(asked(example.node(9001))).hasSize(1);
    }

    private RunningExample start(String name, RunningExample.NodeHandlers nodes) throws Exception {
        return RunningExample.of(name, nodes, dir.resolve("access.log"));
    }

    /** A node that answers with its port in the file, and what it was asked for. */
    private static Handler echo(int port) {
        return request -> echo(port, request);
    }

    private static Answer echo(int port, ReceivedRequest request) {
        return Answer.ok(port + " " + request.method() + " " + request.target()).header("Server", "node");
    }

    private static void keep(RunningExample example, Promise promise) throws IOException {
        Curl curl = Curl.of(promise.line());
        List<String> ofNodes = promise.bodies().ofNodes();
        int before = nodeRequests(example);
        try (RawClient client = example.connect(curl.port())) {
            for (int i = 0; i < curl.requests().size(); i++) {
                RawResponse response = client.send(curl.requests().get(i)).readResponse(curl.method());
                assertThat(response.status()).as(promise.line()).isEqualTo(promise.status());
                fields(promise.line(), response.headers(), promise.clientFields());
                if (ofNodes.isEmpty()) {
                    assertThat(response.bodyText()).contains(promise.bodies().own());
                } else {
                    assertThat(response.bodyText()).as(promise.line()).isEqualTo(ofNodes.get(i));
                    int port = Integer.parseInt(ofNodes.get(i).split(" ", 2)[0]);
                    ReceivedRequest received = asked(example.node(port)).getLast();
                    fields(promise.line(), received.headers(), promise.nodeFields());
                }
            }
        }
        if (promise.bodies().othersToo()) {
            assertThat(nodeRequests(example) - before).as(promise.line()).isGreaterThanOrEqualTo(ofNodes.size());
        } else {
            assertThat(nodeRequests(example) - before).as(promise.line()).isEqualTo(ofNodes.size());
        }
    }

    private static void fields(String line, Headers headers, Map<String, List<String>> expected) {
        expected.forEach((name, values) ->
                assertThat(headers.values(name)).as(line + ": " + name).isEqualTo(values));
    }

    private static int nodeRequests(RunningExample example) {
        int count = 0;
        for (ScriptedUpstream node : example.nodes()) {
            count += asked(node).size();
        }
        return count;
    }

    /** What a node was asked, checks aside. */
    private static List<ReceivedRequest> asked(ScriptedUpstream node) {
        return node.requests().stream()
                .filter(request -> !request.target().equals("/health"))
                .toList();
    }

    @Test
    void healthIsAskedForInBothWays() throws Exception {
        try (RunningExample example = start("health.json", ExamplesTest::echo)) {
            Await.until("all four are healthy", () -> checked(example, State.HEALTHY) == 4);
            example.node(9001).stopAccepting();
            Await.until(
                    "9001 is unhealthy in both ways",
                    Duration.ofSeconds(60),
                    () -> checked(example, State.UNHEALTHY) == 2);
        }
    }

    private static long checked(RunningExample example, State state) {
        return example.gateway().checks().stream()
                .filter(check -> check.state() == state)
                .count();
    }

    @Test
    void balancingKeepsReportsFromTheBusyNode() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        RunningExample.NodeHandlers nodes = port -> request -> {
            if (request.target().endsWith("/slow")) {
                done.await();
            }
            return echo(port, request);
        };
        try (RunningExample example = start("balancing.json", nodes);
                RawClient slow = example.connect(8080);
                RawClient client = example.connect(8080)) {
            slow.send("GET /reports/slow HTTP/1.1\r\nHost: a\r\n\r\n");
            Await.until("the slow report is being made", () -> nodeRequests(example) == 1);
            List<String> ports = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                client.send("GET /reports/1 HTTP/1.1\r\nHost: a\r\n\r\n");
                ports.add(client.readResponse().bodyText().substring(0, 4));
            }
            done.countDown();
            String busy = slow.readResponse().bodyText().substring(0, 4);

            assertThat(ports).doesNotContain(busy);
            assertThat(ports.stream().distinct()).hasSize(2);
        }
    }

    @Test
    void affinityKeepsClientsAndImagesAtTheirNodes() throws Exception {
        try (RunningExample example = start("affinity.json", ExamplesTest::echo);
                RawClient client = example.connect(8080)) {
            String get = "GET /cart/ HTTP/1.1\r\nHost: a\r\n";
            RawResponse first = client.send(get + "\r\n").readResponse();
            String cookie = Objects.requireNonNull(first.header("Set-Cookie"));
            assertThat(cookie).matches("cart-node=[A-Za-z0-9_-]{22}; Path=/cart; HttpOnly; SameSite=Lax");
            for (int i = 0; i < 5; i++) {
                RawResponse next = client.send(get + "Cookie: " + cookie.split(";", 2)[0] + "\r\n\r\n")
                        .readResponse();
                assertThat(next.bodyText()).isEqualTo(first.bodyText());
                String image = "GET /images/7.png?" + i + " HTTP/1.1\r\nHost: a\r\n\r\n";
                assertThat(client.send(image).readResponse().bodyText()).contains("/images/7.png");
                assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                                .readResponse()
                                .status())
                        .isEqualTo(200);
            }
            int withImages = 0;
            for (ScriptedUpstream node : example.nodes()) {
                withImages += node.requests().stream()
                                .anyMatch(request -> request.target().startsWith("/images/"))
                        ? 1
                        : 0;
            }
            assertThat(withImages).isEqualTo(1);
        }
    }

    @Test
    void behindALoadBalancerNobodyElseIsBelieved() throws Exception {
        String claims = "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n";
        try (RunningExample example = start("behind-a-load-balancer.json", ExamplesTest::echo);
                RawClient client =
                        example.connect(8080, ClientOptions.defaults().withLocalHost("127.0.0.5"))) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n" + claims + "\r\n").readResponse();

            Headers seen = example.node(9001).request(0).headers();
            assertThat(seen.values("X-Forwarded-For")).containsExactly("127.0.0.5");
            assertThat(seen.values("X-Forwarded-Proto")).containsExactly("http");
        }
    }

    @Test
    void rewritingShowsTheNodeItsOwnHost() throws Exception {
        try (RunningExample example = start("rewrite-and-headers.json", ExamplesTest::echo);
                RawClient client = example.connect(8080)) {
            client.send("GET /api/ HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();

            ScriptedUpstream node = example.node(9001);
            assertThat(node.request(0).header("Host")).isEqualTo("127.0.0.1:" + node.port());
        }
    }

    @Test
    void theAccessLogHasALineOfJsonForEachAnswer() throws Exception {
        try (RunningExample example = start("access-log.json", ExamplesTest::echo);
                RawClient client = example.connect(8080)) {
            client.send("GET /app/ HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
            client.send("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
        }
        List<String> lines = Files.readAllLines(dir.resolve("access.log"));
        assertThat(lines).hasSize(2);
        assertThat(texts(lines.get(0))).containsExactly("/app/", "200", "app", "null");
        assertThat(texts(lines.get(1))).containsExactly("/nothing", "404", "null", "NR");
    }

    private static List<String> texts(String line) throws IOException {
        JsonNode members = new ObjectMapper().readTree(line);
        return List.of(
                members.get("target").asText(),
                members.get("status").asText(),
                members.get("route").asText(),
                members.get("flag").asText());
    }

    @Test
    void withoutItsNodeTheSecondErrorPageIsShown() throws Exception {
        try (RunningExample example = start("access-log.json", ExamplesTest::echo);
                RawClient client = example.connect(8080)) {
            example.node(9001).close();

            RawResponse response =
                    client.send("GET /app/ HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.header("Content-Type")).isEqualTo("application/json");
            assertThat(response.bodyText()).isEqualTo("{\"error\":\"try again in a minute\"}");
        }
    }

    @Test
    void sessionsBehindALoadBalancerKeepTheirNode() throws Exception {
        try (RunningExample example = start("tcp.json", ExamplesTest::echo)) {
            String first = "";
            for (int i = 0; i < 5; i++) {
                try (RawClient client = example.connect(8081)) {
                    client.send("PROXY TCP4 203.0.113.7 10.0.0.1 4000 80\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n");
                    String body = client.readResponse().bodyText();
                    first = i == 0 ? body : first;
                    assertThat(body).isEqualTo(first);
                }
            }
            try (RawClient client = example.connect(8081)) {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").expectReset();
            }
        }
    }

    @Test
    void callsOfBoltAreRoutedAndHeartbeatsAnswered() throws Exception {
        try (RunningExample example = start("bolt.json", ExamplesTest::echo);
                RawClient client = example.connect(8080)) {
            client.send(BoltMessage.heartbeat(2, 1).bytes());
            assertThat(BoltMessage.read(client).word()).isZero();
            BoltMessage call = BoltMessage.request(2, 2, "com.example.Other", "x")
                    .withKeys("sofa_head_target_service", "com.example.Others:1.0");
            client.send(call.bytes());
            assertThat(BoltMessage.read(client).word()).isEqualTo(6);
            // This one finds its way, to a node of HTTP, which waits for more.
            client.send(call.withKeys("sofa_head_target_service", "com.example.Orders:1.0")
                    .withWord(100)
                    .bytes());
            assertThat(BoltMessage.read(client).word()).isEqualTo(7);
        }
    }

    @Test
    void callsOfGrpcAreAnsweredInHttp2() throws Exception {
        RunningExample.NodeHandlers nodes =
                port -> request -> echo(port, request).header("Content-Type", GRPC);
        try (RunningExample example = start("http2-and-grpc.json", nodes);
                HttpClient client = HttpClient.newBuilder()
                        .sslContext(ExampleFiles.trusting())
                        .build()) {
            for (String path : List.of("/helloworld.Greeter/SayHello", "/shop.Orders/List")) {
                HttpRequest call = HttpRequest.newBuilder(
                                URI.create("https://localhost:" + example.portOf(8443) + path))
                        .header("Content-Type", GRPC)
                        .header("TE", "trailers")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[5]))
                        .build();
                HttpResponse<String> answer = client.send(call, HttpResponse.BodyHandlers.ofString());
                int port = path.startsWith("/shop") ? 9002 : 9001;
                assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
                assertThat(answer.body()).isEqualTo(port + " POST " + path);
                assertThat(example.node(port).request(0).headers().values("Via"))
                        .first()
                        .asString()
                        .startsWith("2");
            }
        }
    }

    /** The call of the README's row, and what its script would read. */
    @Test
    void callsOfGrpcWebAreAnsweredInIt() throws Exception {
        RunningExample.NodeHandlers nodes = port -> request -> Answer.of(200)
                .header("Content-Type", GRPC)
                .body(request.body())
                .chunked(5)
                .trailer("grpc-status", "0");
        try (RunningExample example = start("grpc-web.json", nodes);
                RawClient client = example.connect(8080)) {
            RawResponse response = client.send("POST /helloworld.Greeter/SayHello HTTP/1.1\r\nHost: a\r\n"
                            + "Origin: http://localhost:3000\r\n"
                            + "Content-Type: application/grpc-web-text\r\nContent-Length: 8\r\n\r\nAAAAAAA=")
                    .readResponse();
            assertThat(response.header("Access-Control-Allow-Origin")).isEqualTo("http://localhost:3000");
            assertThat(response.header("Content-Type")).isEqualTo("application/grpc-web-text");
            assertThat(response.bodyText()).isEqualTo("AAAAAAA=gAAAABBncnBjLXN0YXR1czogMA0K");
            assertThat(example.node(9001).request(0).header("Content-Type")).isEqualTo(GRPC);
        }
    }

    /** Nobody gives it a certificate: pages that an issuer would ask for go the ordinary road, and nothing is shown in its place. */
    @Test
    void withoutItsIssuerNothingIsShown() throws Exception {
        try (RunningExample example = start("acme.json", ExamplesTest::echo)) {
            Await.until("asked in vain", () -> example.gateway().counters().count(Counter.ACME_FAILURES) == 1);
            assertThatThrownBy(() -> example.connect(8443).close()).hasMessageContaining("unrecognized_name");
        }
    }

    @Test
    void theOptionsFileSaysHowManyWorkers() throws Exception {
        try (RunningExample example = start(ExampleFiles.OPTIONS, ExamplesTest::echo)) {
            assertThat(example.gateway().workerCount()).isEqualTo(2);
        }
    }
}
