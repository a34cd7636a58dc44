package net.oooops.sigma.interop;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** WebSocket through the gateway: clients of three languages, before a server of Python. What came of it is printed as a table. */
class WebSocketClientsTest {
    private static final List<Wire> WIRES = List.of(Wire.HTTP1, Wire.HTTP1_TLS);
    private static final List<Client> CLIENTS = List.of(
            new Client.Scripted("websockets", true, WIRES, Tool::python, "websockets_cases.py"),
            new Client.Scripted("ws", true, WIRES, Tool::node, "ws.mjs"),
            new Client.Scripted("gorilla", true, WIRES, Tool::go, ""));
    private static final Matrix MATRIX =
            new Matrix(List.of("text", "binary", "deflate", "closed-by-node", "closed-by-client"));

    @TempDir
    private static Path folder;

    @AutoClose
    private static final WebNode NODE = new WebNode();

    @AutoClose
    private static EchoNode echo;

    @AutoClose
    private static Front front;

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
    }

    @TestFactory
    Stream<DynamicTest> everyClientOverEveryWire() {
        return MATRIX.tests(CLIENTS, front, "ws", certificate.file());
    }
}
