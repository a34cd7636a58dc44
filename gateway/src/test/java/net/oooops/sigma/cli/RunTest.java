package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunTest {
    @TempDir
    private Path folder;

    @Test
    void withoutAConfigurationThereIsAGatewayToTry() throws Exception {
        try (Running running = Running.start(new RunWords(RunWords.VERTICLE, List.of(), null, 1))) {
            try (RawClient client = RawClient.connect(running.port())) {
                client.send("GET /test/hello HTTP/1.1\r\nHost: a\r\n\r\n");
                RawResponse answer = client.readResponse();

                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("Content-Type")).isEqualTo("application/json");
                assertThat(answer.bodyText()).isEqualTo("{\"code\":200,\"msg\":\"success\",\"data\":null}");
            }
            running.interrupt();
            assertThat(running.exitCode()).isZero();

            assertThat(running.shell().err()).isEmpty();
            assertThat(running.shell().out().lines().map(line -> line.replaceAll("(:|^)[0-9]+", "$1N")))
                    .satisfiesExactly(
                            line -> assertThat(line).startsWith("sigma 0."),
                            line -> assertThat(line).startsWith("  listens on  http://0.0.0.0:N (http"),
                            line -> assertThat(line)
                                    .matches(" {2}transport {3}(io_uring|epoll|kqueue|nio) \\(auto: .+\\)"),
                            line -> assertThat(line).isEqualTo("  workers     1"),
                            line -> assertThat(line)
                                    .startsWith("  upstream    http://127.0.0.1:N (built in, to try with"),
                            line -> assertThat(line).isEqualTo("  route       /test/* to that, rewritten to /*"),
                            line -> assertThat(line).isEqualTo("  try         curl -i http://127.0.0.1:N/test/hello"),
                            line -> assertThat(line).matches("draining: [01] connections?, up to 30s"),
                            line -> assertThat(line).isEqualTo("stopped"));
        }
    }

    private static RunWords words(String... typed) {
        return Objects.requireNonNull(RunWords.plain(typed));
    }

    @Test
    void withoutAFileEverythingGoesWhereTheCommandLineSays() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                Running running = Running.start(
                        words("--to", "http://127.0.0.1:" + node.port(), "--port", "0", "-instance", "1"));
                RawClient client = RawClient.connect(running.port())) {
            client.send("GET /a/b?c HTTP/1.1\r\nHost: any\r\n\r\n");

            assertThat(client.readResponse().bodyText()).isEqualTo("yes");
            assertThat(running.shell().err()).isEmpty();
            assertThat(running.shell().out().lines())
                    .contains(
                            "  listens on  http://0.0.0.0:" + running.port() + " (web)",
                            "  routing     everything to http://127.0.0.1:" + node.port())
                    .noneMatch(line -> line.contains("curl"));
        }
    }

    @Test
    void thatIsWhatItIsCalled() throws Exception {
        RunWords typed = words("--to", "http://127.0.0.1:1", "--to", "http://127.0.0.1:2", "--port", "0");
        try (Running running = Running.start(typed)) {
            SteeringTest.Said none = SteeringTest.say(running.runDir(), "status", "-conf", conf("other.json"));

            assertThat(none.exitCode()).isEqualTo(3);
            assertThat(none.err()).contains(" (--to http://127.0.0.1:1 --to http://127.0.0.1:2, since ");
        }
    }

    private String conf(String name) throws IOException {
        return Files.writeString(folder.resolve(name), "{}").toString();
    }

    @Test
    void orOnlyForAHost() throws Exception {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                Running running = Running.start(words(
                        "--to",
                        "http://127.0.0.1:" + node.port(),
                        "--host",
                        "shop.example.com",
                        "--port",
                        "0",
                        "-instance",
                        "1"));
                RawClient client = RawClient.connect(running.port())) {
            client.send("GET /a HTTP/1.1\r\nHost: shop.example.com\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            client.send("GET /a HTTP/1.1\r\nHost: other.example.com\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(404);
        }
    }

    @Test
    void withAConfigurationItSaysWhatThatComesTo() throws Exception {
        int[] ports = FreePorts.several(2);
        Path conf = configuration(
                "{\"id\": \"a\", \"host\": \"127.0.0.1\", \"port\": " + ports[0]
                        + "}, {\"id\": \"b\", \"host\": \"127.0.0.1\", \"port\": " + ports[1] + "}",
                1);
        try (Running running = Running.start(new RunWords(RunWords.VERTICLE, List.of(conf), null, 2))) {
            assertThat(running.shell().out().lines())
                    .contains(
                            "  listens on  http://127.0.0.1:" + ports[0] + " (a)",
                            "  listens on  http://127.0.0.1:" + ports[1] + " (b)",
                            "  workers     2",
                            "  routing     2 listeners, 1 router, 1 route, 1 upstream")
                    .noneMatch(line -> line.contains("curl"));
            assertThat(running.shell().err()).contains("warning: ").contains("/proxy-server/http/1/id");
        }
    }

    @Test
    void laterFilesOverrideEarlierOnes() throws Exception {
        int[] ports = FreePorts.several(2);
        Path second = Files.writeString(
                folder.resolve("second.json"),
                "{\"proxy-server\": {\"http\": [{\"id\": \"s\", \"port\": " + ports[1] + "}]}}");
        List<Path> conf = List.of(
                configuration("{\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": " + ports[0] + "}", 1), second);
        try (Running running = Running.start(new RunWords(RunWords.VERTICLE, conf, null, 1))) {
            assertThat(running.port()).isEqualTo(ports[1]);
        }
    }

    @Test
    void httpsOfWhichNothingIsSaidShowsASelfSignedCertificate() throws Exception {
        Path conf = Files.writeString(
                folder.resolve("https.json"),
                "{\"proxy-server\": {\"https\": {\"host\": \"127.0.0.1\", \"port\": 0}}}");
        try (Running running = Running.start(new RunWords(RunWords.VERTICLE, List.of(conf), null, 1))) {
            assertThat(running.shell().out())
                    .contains("listens on  https://127.0.0.1:" + running.port()
                            + " (https; a self-signed certificate, not for the public)");
            assertThat(running.shell().err()).contains("https.json:1:28 /proxy-server/https: no key \"ssl\"");
            SSLContext trusting = SSLContext.getInstance("TLS");
            trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            try (SSLSocket socket = (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", running.port())) {
                X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
                assertThat(shown.getSubjectX500Principal().getName()).isEqualTo("CN=Sigma self-signed");
            }
        }
    }

    @Test
    void anyFreePortIsOneForAllWorkers() throws Exception {
        try (Running running =
                Running.start(new RunWords(RunWords.VERTICLE, List.of(configuration(server(0, "30s"), 1)), null, 2))) {
            for (int i = 0; i < 8; i++) {
                try (RawClient client = RawClient.connect(running.port())) {
                    client.send("GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                    assertThat(client.readResponse().status()).isEqualTo(404);
                }
            }
        }
    }

    @Test
    void theNumberOfWorkersIsThatOfTheOptionsUnlessSaidOtherwise() throws Exception {
        Path options = Files.writeString(folder.resolve("options.json"), "{\"eventLoopPoolSize\": 3}");
        Path conf = configuration(server(0, "30s"), 1);
        try (Running running = Running.start(new RunWords(RunWords.VERTICLE, List.of(conf), options, null))) {
            assertThat(running.shell().out().lines()).contains("  workers     3");
        }
        try (Running running = Running.start(new RunWords(RunWords.VERTICLE, List.of(conf), options, 1))) {
            assertThat(running.shell().out().lines()).contains("  workers     1");
        }
    }

    @Test
    void aTakenPortIsOneLineAndExitCode1() throws Exception {
        try (Running first = Running.start(
                        new RunWords(RunWords.VERTICLE, List.of(configuration(server(0, "30s"), 1)), null, 1));
                Running second = Running.start(new RunWords(
                        RunWords.VERTICLE, List.of(configuration(server(first.port(), "30s"), 1)), null, 1))) {
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.shell().out()).isEmpty();
            assertThat(second.shell().err())
                    .startsWith("sigma: proxy-server \"only\": can't listen on 127.0.0.1:" + first.port())
                    .hasLineCount(1);
        }
    }

    @Test
    void requestsInFlightEndBeforeItDoes() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script().readRequest().stall(gate).respond(Answer.ok("late")));
                Running running = Running.start(new RunWords(
                        RunWords.VERTICLE, List.of(configuration(server(0, "30s"), node.port())), null, 1));
                RawClient client = RawClient.connect(running.port())) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            node.awaitRequests(1);
            running.interrupt();
            Await.until("draining", () -> running.shell().out().contains("draining: 1 connection, up to 30s"));
            gate.release();

            RawResponse answer = client.readResponse();
            assertThat(answer.bodyText()).isEqualTo("late");
            client.expectCleanClose();
            assertThat(running.exitCode()).isZero();
            assertThat(running.shell().out()).endsWith("\nstopped\n");
        }
    }

    @Test
    void requestsThatTakeLongerAreCut() throws Exception {
        Gate never = new Gate();
        try (ScriptedUpstream node =
                        ScriptedUpstream.play(Script.script().readRequest().stall(never));
                Running running = Running.start(new RunWords(
                        RunWords.VERTICLE, List.of(configuration(server(0, "100ms"), node.port())), null, 1));
                RawClient client = RawClient.connect(running.port())) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            node.awaitRequests(1);
            running.interrupt();

            assertThat(running.exitCode()).isZero();
            assertThat(running.shell().out())
                    .endsWith("draining: 1 connection, up to 100ms\nstopped: 1 connection cut after 100ms\n");
            assertThat(client.readResponse().status()).isEqualTo(503);
            client.expectClosed();
            never.release();
        }
    }

    private static String server(int port, String drain) {
        return "{\"id\": \"only\", \"host\": \"127.0.0.1\", \"port\": " + port + ", \"timeouts\": {\"drain\": \""
                + drain + "\"}}";
    }

    /** With these servers, the first of which leads /a to that node. */
    private Path configuration(String servers, int nodePort) throws IOException {
        String first = servers.replaceAll("(?s)^\\{\"id\": (\"[a-z]+\").*", "$1");
        String json = "{\"proxy-server\": {\"http\": [" + servers
                + "]}, \"router\": [{\"id\": \"r\", \"proxy-server-id\": " + first
                + ", \"route\": [{\"id\": \"a\", \"path\": \"/a\", \"proxy-pass-id\": \"p\"}]}],"
                + " \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                + " \"upstream\": [{\"id\": \"u\", \"nodes\": [\"http://127.0.0.1:" + nodePort + "\"]}]}";
        return Files.writeString(Files.createTempFile(folder, "sigma", ".json"), json);
    }
}
