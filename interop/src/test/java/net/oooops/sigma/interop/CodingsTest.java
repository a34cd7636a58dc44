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

/** Compressed answers, a text and a stream of events in each coding, with the decoders that a browser and people's libraries have. */
class CodingsTest {
    private static final Matrix MATRIX = new Matrix(List.of("gzip", "br", "zstd"));

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
        front = Front.startCodings(folder, certificate, NODE.port());
    }

    @AfterAll
    static void show() {
        System.out.print(MATRIX);
    }

    @TestFactory
    Stream<DynamicTest> everyDecoder() {
        List<Wire> encrypted = List.of(Wire.HTTP1_TLS, Wire.H2_TLS);
        List<Client> clients = List.of(
                new Chromium(folder, NODE, "/codings"),
                new Client.Scripted("httpx", true, encrypted, Tool::python, "httpx_codings.py"),
                new Client.Scripted("undici", true, encrypted, Tool::node, "undici_codings.mjs"));
        return MATRIX.tests(clients, front, "http", certificate.file());
    }
}
