package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.grpc.testing.TlsTesting;
import io.grpc.testing.integration.TestServiceServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.oooops.sigma.testkit.FreePorts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The cases of gRPC's own interop client, with gRPC's own server as the node: those of grpc-java, in JVMs of their own. */
class GrpcTest {
    private static final Pattern LISTENS = Pattern.compile("Server started on port (\\d+)");
    private static final String LOOPBACK = "--address_type=IPV4";
    /** One that the certificate of gRPC's tests is for. */
    private static final String HOST = "foo.test.google.fr";

    @TempDir
    private static Path folder;

    @AutoClose
    private static Child plainNode;

    @AutoClose
    private static Child tlsNode;

    @AutoClose
    private static Sigma sigma;

    private static final Map<GrpcWire, Child> CLIENTS = new EnumMap<>(GrpcWire.class);

    @BeforeAll
    static void start() throws IOException {
        int[] ports = FreePorts.several(2);
        plainNode = program(TestServiceServer.class, "plain-node", "--port=" + ports[0], LOOPBACK, "--use_tls=false");
        tlsNode = program(TestServiceServer.class, "tls-node", "--port=" + ports[1], LOOPBACK, "--use_tls=true");
        Certificate certificate = new Certificate(kept("server1.pem"), kept("server1.key"));
        sigma = Sigma.run(folder, SigmaJson.grpc(certificate, kept("ca.pem"), HOST, ports[0], ports[1]));
        plainNode.awaitSaid(LISTENS);
        tlsNode.awaitSaid(LISTENS);
        for (GrpcWire wire : GrpcWire.values()) {
            CLIENTS.put(wire, program(GrpcCases.class, "client-" + wire, words(wire)));
        }
    }

    @AfterAll
    static void stop() {
        CLIENTS.values().forEach(Child::close);
    }

    /** A file of gRPC's tests. */
    private static Path kept(String name) throws IOException {
        Path file = folder.resolve(name);
        try (InputStream in = TlsTesting.loadCert(name)) {
            Files.copy(in, file);
        }
        return file;
    }

    private static Child program(Class<?> main, String name, String... words) {
        List<String> all = new ArrayList<>(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        all.addAll(Arrays.asList(words));
        return Child.java(folder, name, all);
    }

    private static String[] words(GrpcWire wire) {
        return new String[] {
            "--server_host=127.0.0.1",
            "--server_port=" + sigma.port(wire.listener()),
            "--server_host_override=" + HOST,
            "--use_tls=" + wire.isEncrypted(),
            "--use_test_ca=true"
        };
    }

    /** On all wires side by side. */
    @TestFactory
    Stream<DynamicContainer> everyCaseOverEveryWire() {
        return CLIENTS.entrySet().stream()
                .map(client -> dynamicContainer(
                        client.getKey().name(),
                        GrpcCases.names().stream()
                                .map(name -> dynamicTest(name, () -> assertPassed(client.getValue(), name)))));
    }

    private static void assertPassed(Child client, String name) {
        Pattern said = Pattern.compile("(?m)^" + name + ": \\d+ ms (.*)$");
        assertThat(client.awaitSaid(said)).as(client.err()).isEqualTo("passed");
    }
}
