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

/** HTTP/1.1 and HTTP/2 with the clients that people use. What came of it is printed as a table. */
class ClientsTest {
    private static final List<Wire> ALL = List.of(Wire.values());
    private static final List<Wire> ONE = List.of(Wire.HTTP1, Wire.HTTP1_TLS);
    private static final List<Wire> TWO = List.of(Wire.H2C, Wire.H2_TLS);
    private static final List<Client> CLIENTS = List.of(
            new Client.Scripted("curl", true, ALL, () -> Tool.bash("curl", "curl"), "curl.sh"),
            new Client.Scripted("nghttp", false, TWO, () -> Tool.bash("nghttp", "nghttp2-client"), "nghttp.sh"),
            new Client.Scripted("httpx", true, ALL, Tool::python, "httpx_cases.py"),
            new Client.Scripted("aiohttp", true, ONE, Tool::python, "aiohttp_cases.py"),
            new Client.Scripted("undici", true, ALL, Tool::node, "undici.mjs"),
            new Client.Scripted("node:http, http2", true, ALL, Tool::node, "node_http.mjs"),
            new Client.Scripted("Go net/http", true, ALL, Tool::go, ""),
            new JdkClient(),
            new OkClient());
    private static final Matrix MATRIX =
            new Matrix(List.of("json", "echo", "empty", "missing", "events", "many", "head", "cookies", "trailers"));

    @TempDir
    private static Path folder;

    @AutoClose
    private static final WebNode NODE = new WebNode();

    @AutoClose
    private static Front front;

    private static Certificate certificate;

    @BeforeAll
    static void start() {
        certificate = Certificate.make(folder);
        // Nobody here speaks WebSocket.
        front = Front.start(folder, certificate, NODE.port(), NODE.port());
    }

    @AfterAll
    static void show() {
        System.out.print(MATRIX);
    }

    @TestFactory
    Stream<DynamicTest> everyClientOverEveryWire() {
        return MATRIX.tests(CLIENTS, front, "http", certificate.file());
    }
}
