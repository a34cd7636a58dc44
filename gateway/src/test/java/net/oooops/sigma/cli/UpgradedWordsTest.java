package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What operators have said goes from process to process, and back where the new one dies. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
@SuppressWarnings("NullAway.Init")
class UpgradedWordsTest extends UpgradeFixture {
    private static final String UNKNOWN = "what operators told that process isn't known here";

    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The process before stays as long as it has this request. */
    private final Gate gate = new Gate();

    private ScriptedUpstream node;
    private SigmaProcess sigma;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        node = ScriptedUpstream.play(Script.script().readRequest().stall(gate).respond(Answer.ok("late")));
        String json = """
                {"proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
                 "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "held"}]}],
                 "proxy-pass": [{"id": "p", "upstream-id": "u"}, {"id": "held", "upstream-id": "held", "timeout": "10m"}],
                 "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1", "http://127.0.0.1:2"]},
                              {"id": "held", "nodes": ["http://127.0.0.1:%d"]}]}
                """.formatted(node.port());
        Path conf = Files.writeString(folder.resolve("sigma.json"), json);
        sigma = SigmaProcess.start(folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", conf.toString()));
        sigma.awaitListening();
        client = RawClient.connect(sigma.port());
        client.send(GET);
        node.awaitHeads(1);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        sigma.close();
        node.close();
    }

    private void tell(String... words) {
        Said said = say(words);
        assertThat(said.exitCode()).as(said.err()).isZero();
    }

    private void rename(String from, String to) throws IOException {
        Path conf = folder.resolve("sigma.json");
        Files.writeString(conf, Files.readString(conf).replace('"' + from + '"', '"' + to + '"'));
    }

    private void killAndAwait() {
        SigmaProcess.kill(serving());
        Await.until("serving again", () -> serving() == sigma.process().pid());
    }

    private String health(int node) throws IOException {
        return status().at("/upstreams/0/nodes/" + node + "/health").textValue();
    }

    @Test
    void whatTheNewProcessWasToldHoldsWhereItDies() throws Exception {
        tell("drain", "127.0.0.1:1");
        tell("log-level", "DEBUG", "other.logger");
        tell("upgrade");
        assertThat(status().at("/log_levels/other.logger").textValue()).isEqualTo("DEBUG");
        tell("restore", "127.0.0.1:1");
        tell("log-level", "default", "other.logger");
        tell("eject", "127.0.0.1:2");
        tell("log-level", "ERROR", "some.logger");
        long told = serving();
        killAndAwait();
        assertThat(sigma.err()).contains("what operators said to pid " + told + " holds here: nodes 1, log levels 1\n");
        assertThat(health(0)).isEqualTo("healthy");
        assertThat(health(1)).isEqualTo("ejected");
        assertThat(status().at("/log_levels/some.logger").textValue()).isEqualTo("ERROR");
        assertThat(status().at("/log_levels/other.logger").isMissingNode()).isTrue();
        assertThat(sigma.err()).doesNotContain(UNKNOWN);
    }

    @Test
    void whereNothingWasSaidNothingIsMissed() throws Exception {
        tell("drain", "127.0.0.1:1");
        tell("upgrade");
        killAndAwait();
        assertThat(health(0)).isEqualTo("drained");
        assertThat(sigma.err()).doesNotContain(UNKNOWN);
    }

    /** Who had connected by then asks the process before: what it was told after the new one has heard all would be lost. */
    @Test
    void whatTheProcessBeforeIsToldThenIsRefused() throws Exception {
        CompletableFuture<Said> upgrade =
                CompletableFuture.supplyAsync(() -> say("upgrade"), Thread::startVirtualThread);
        try (SocketChannel last = lastThatConnects()) {
            assertThat(upgrade.get().exitCode()).isZero();
            last.write(ByteBuffer.wrap("""
                    {"protocol": 1, "command": "drain", "arguments": {"node": "127.0.0.1:1"}, "timeout_ms": 1000}
                    """.getBytes(StandardCharsets.US_ASCII)));
            String answer = new BufferedReader(Channels.newReader(last, StandardCharsets.US_ASCII)).readLine();
            assertThat(answer).contains("\"ok\":false", "(expected: to be asked again)");
            assertThat(health(0)).isEqualTo("healthy");
        }
    }

    /** One after the other connects to the process that serves, until nobody can any more. */
    private SocketChannel lastThatConnects() throws Exception {
        Path socket = LivingGateways.in(runFolder()).getFirst().socket();
        SocketChannel last = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        while (Files.exists(socket)) {
            SocketChannel next = connected(socket);
            if (next != null) {
                last.close();
                last = next;
            }
            LockSupport.parkNanos(BETWEEN_NANOS);
        }
        return last;
    }

    private static @Nullable SocketChannel connected(Path socket) {
        try {
            return SocketChannel.open(UnixDomainSocketAddress.of(socket));
        } catch (IOException _) {
            return null;
        }
    }

    /** The new process follows another configuration, and goes back to the one before. */
    @Test
    void whatIsSaidOfNodesThatAreAwayGoesAlong() throws Exception {
        tell("drain", "u/127.0.0.1:1");
        rename("u", "v");
        tell("upgrade");
        assertThat(health(0)).isEqualTo("healthy");
        assertThat(status().at("/absent_nodes/0/use").textValue()).isEqualTo("drained");
        rename("v", "u");
        tell("reload");
        assertThat(health(0)).isEqualTo("drained");
    }
}
