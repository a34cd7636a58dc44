package net.oooops.sigma.interop;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * WebSocket through the gateway: clients of three languages, before a server of Python, which is reached over HTTP/1.1, or, as nghttpx has it, over
 * streams of HTTP/2 (RFC 8441). What came of it is printed as tables.
 */
class WebSocketClientsTest {
    private static final List<Wire> WIRES = List.of(Wire.HTTP1, Wire.HTTP1_TLS);
    private static final List<Client> CLIENTS = List.of(
            new Client.Scripted("websockets", true, WIRES, Tool::python, "websockets_cases.py"),
            new Client.Scripted("ws", true, WIRES, Tool::node, "ws.mjs"),
            new Client.Scripted("gorilla", true, WIRES, Tool::go, ""));
    private static final List<String> CASES =
            List.of("text", "binary", "deflate", "closed-by-node", "closed-by-client");
    private static final Matrix MATRIX = new Matrix(CASES);
    private static final Matrix OVER_STREAMS = new Matrix(CASES);

    @TempDir
    private static Path folder;

    @AutoClose
    private static final WebNode NODE = new WebNode();

    @AutoClose
    private static EchoNode echo;

    @AutoClose
    private static Front front;

    /** There once a test asked for it: speaks HTTP/2 before the server. */
    @AutoClose
    @SuppressWarnings("UnusedVariable")
    private static @Nullable Child nghttpx;

    @AutoClose
    @SuppressWarnings("UnusedVariable")
    private static @Nullable Front overStreams;

    private static Certificate certificate;

    @BeforeAll
    static void start() {
        certificate = Certificate.make(folder);
        echo = EchoNode.start(folder);
        front = Front.start(folder, certificate, NODE.port(), echo.port());
    }

    @AfterAll
    static void show() {
        System.out.print(MATRIX);
        System.out.print("to a node of HTTP/2\n" + OVER_STREAMS);
    }

    @TestFactory
    Stream<DynamicTest> everyClientOverEveryWire() {
        return MATRIX.tests(CLIENTS, front, "ws", certificate.file());
    }

    @TestFactory
    Stream<DynamicTest> everyClientBeforeANodeOfHttp2() throws IOException {
        Path program = Program.find("nghttpx").orElse(null);
        assumeTrue(program != null, "nghttpx (Debian: nghttp2-proxy)");
        int port = FreePorts.one();
        nghttpx = Child.program(
                folder,
                "nghttpx-node",
                List.of(
                        String.valueOf(program),
                        "--single-process",
                        "--conf=/dev/null",
                        "--frontend=127.0.0.1," + port + ";no-tls",
                        "--backend=127.0.0.1," + echo.port()));
        Await.until("nghttpx listens", () -> Front.accepts(port));
        Front before = Front.ofSigma(
                Files.createDirectory(folder.resolve("streams")), certificate, NODE.port(), "h2c://127.0.0.1:" + port);
        overStreams = before;
        return OVER_STREAMS.tests(CLIENTS, before, "ws", certificate.file());
    }
}
