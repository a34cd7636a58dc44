package net.oooops.sigma.interop;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** gRPC-Web through the gateway: the clients that people use, before a server of gRPC. What came of it is printed as a table. */
class GrpcWebClientsTest {
    private static final List<Client> CLIENTS = List.of(
            new Client.Scripted("grpc-web", true, List.of(Wire.HTTP1, Wire.HTTP1_TLS), Tool::node, "grpc_web.mjs"),
            new Client.Scripted("connect", true, List.of(Wire.values()), Tool::node, "connect.mjs"));
    private static final Matrix MATRIX = new Matrix(List.of("unary", "stream", "large", "error", "broken", "deadline"));

    @TempDir
    private static Path folder;

    @AutoClose
    private static GrpcNode node;

    @AutoClose
    private static Front front;

    private static Certificate certificate;

    @BeforeAll
    static void start() {
        assumeTrue(Front.isOurs(), "nghttpx knows nothing of gRPC-Web");
        certificate = Certificate.make(folder);
        node = GrpcNode.start(folder);
        front = Front.startGrpcWeb(folder, certificate, node.port());
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
