package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sigma run} with {@code proxy-server.admin}. */
class AdminRunTest {
    private static final Pattern ADMIN = Pattern.compile("admin +http://127\\.0\\.0\\.1:([0-9]+) ");

    @TempDir
    private Path folder;

    private RunWords words(int adminPort, int nodePort, boolean checked) throws IOException {
        String health = checked
                ? ", \"health\": {\"active\": {\"interval\": \"100ms\", \"timeout\": \"100ms\", \"jitter\": 0}}"
                : "";
        String json = "{\"proxy-server\": {\"http\": {\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": 0},"
                + " \"admin\": {\"port\": " + adminPort + "}},"
                + " \"router\": [{\"id\": \"r\", \"proxy-server-id\": \"s\","
                + " \"route\": [{\"id\": \"a\", \"path\": \"/*\", \"proxy-pass-id\": \"p\"}]}],"
                + " \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                + " \"upstream\": [{\"id\": \"u\", \"nodes\": [\"http://127.0.0.1:" + nodePort + "\"]" + health
                + "}]}";
        return new RunWords(RunWords.VERTICLE, List.of(Files.writeString(folder.resolve("sigma.json"), json)), null, 1);
    }

    private static String ready(int port) {
        try (RawClient client = RawClient.connect(port)) {
            client.send("GET /health/ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
            return client.readResponse().bodyText();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void itSaysWhereAndAnswersUntilItHasDrained() throws Exception {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                Running running = Running.start(words(0, silent.port(), false));
                RawClient client = RawClient.connect(running.port())) {
            Matcher admin = ADMIN.matcher(running.shell().out());
            assertThat(admin.find()).as(running.shell().out()).isTrue();
            int port = Integer.parseInt(admin.group(1));
            assertThat(ready(port)).isEqualTo("ok\n");
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            silent.awaitRequests(1);
            running.interrupt();
            Await.until("draining", () -> ready(port).equals("draining\n"));
            client.reset();
            assertThat(running.exitCode()).isZero();
        }
    }

    @Test
    void aPortThatIsTakenIsAnErrorAtStart() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ScriptedUpstream node = ScriptedUpstream.blackhole();
                Running running = Running.start(words(taken.getLocalPort(), node.port(), true))) {
            assertThat(running.exitCode()).isEqualTo(Exit.PROBLEMS);
            assertThat(running.shell().err())
                    .contains("proxy-server.admin: can't listen on 127.0.0.1:" + taken.getLocalPort() + " (");
            // No check was begun.
            assertThat(node.connectionCount()).isZero();
        }
    }
}
