package net.oooops.sigma.control.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.LoggedLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What is logged of a question that fails: the others are answered. */
@DisabledOnOs(OS.WINDOWS)
@Isolated("the log")
class ControlSocketLinesTest {
    @TempDir
    private Path folder;

    private RunFolder run() {
        return RunFolder.named(folder.resolve("run"));
    }

    @Test
    void aFaultOfTheGatewayEndsOneAnswerOnly() throws Exception {
        try (ControlSocket socket = ControlSocket.open(run(), ControlSocketTest.presence(""))) {
            Steered fail = asked -> {
                throw new IllegalStateException("as it happens");
            };
            Steered err = asked -> {
                throw new NoClassDefFoundError("net/example/Plugin");
            };
            socket.serve(Map.of("echo", ControlSocketTest.ECHO, "fail", fail, "err", err));
            try (LoggedLines log = new LoggedLines(ControlSocket.class)) {
                assertThatThrownBy(() -> SocketClient.ask(socket.path(), "fail", Map.of(), ControlSocketTest.PATIENCE))
                        .isInstanceOf(Refused.class)
                        .hasMessageContaining("as it happens");
                assertThatThrownBy(() -> SocketClient.ask(socket.path(), "err", Map.of(), ControlSocketTest.PATIENCE))
                        .isInstanceOf(Refused.class)
                        .hasMessageContaining("net/example/Plugin");
                assertThat(log.lines()).containsExactly(said(socket), said(socket));
            }
            assertThat(SocketClient.ask(socket.path(), "echo", Map.of("word", "on"), ControlSocketTest.PATIENCE)
                            .text())
                    .endsWith("on\n");
        }
    }

    /** As where the system has no memory for one more. */
    @Test
    void aThreadThatCannotBeStartedEndsOneConnectionOnly() throws Exception {
        ThreadFactory usual = ControlSocket.Conversing.USUAL.threads();
        AtomicInteger left = new AtomicInteger(ControlSocket.CONNECTIONS_MAX + 1);
        ControlSocket.Conversing conversing = new ControlSocket.Conversing(ControlSocketTest.PATIENCE, asked -> {
            if (left.getAndDecrement() > 0) {
                throw new OutOfMemoryError("of the test's own");
            }
            return usual.newThread(asked);
        });
        try (ControlSocket socket = ControlSocket.open(run(), ControlSocketTest.presence(""), conversing);
                LoggedLines log = new LoggedLines(ControlSocket.class)) {
            socket.serve(Map.of("echo", ControlSocketTest.ECHO));
            while (left.get() > 0) {
                assertThatThrownBy(() -> SocketClient.ask(socket.path(), "echo", Map.of(), ControlSocketTest.PATIENCE))
                        .isInstanceOf(SocketFault.class)
                        .hasMessageNotContaining("no answer within");
            }
            assertThat(SocketClient.ask(socket.path(), "echo", Map.of("word", "on"), ControlSocketTest.PATIENCE)
                            .text())
                    .endsWith("on\n");
            assertThat(log.lines()).containsExactly("ERROR " + socket.path() + ": can't answer");
        }
    }

    private static String said(ControlSocket socket) {
        return "ERROR " + socket.path() + ": a request failed";
    }
}
