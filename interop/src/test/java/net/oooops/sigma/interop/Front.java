package net.oooops.sigma.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;

/**
 * What the clients speak to: the built gateway; with {@code -Dsigma.interop.front=nghttpx} that proxy (Debian: nghttp2-proxy) in its place, which
 * tells a fault of the tests from one of the gateway.
 *
 * @param plainPort where HTTP/1.1 and HTTP/2 are spoken without TLS
 * @param h2cPort where nothing but HTTP/2 is, without TLS; 0 where there is no such port
 * @param tlsPort where both are spoken over TLS
 * @param end ends it
 */
record Front(int plainPort, int h2cPort, int tlsPort, Runnable end) implements AutoCloseable {
    /** Starts it before a node, and one of WebSocket at {@code /ws}. */
    static Front start(Path folder, Certificate certificate, int nodePort, int echoPort) {
        if (isOurs()) {
            return ofSigma(folder, certificate, nodePort, "http://127.0.0.1:" + echoPort);
        }
        int plainPort = FreePorts.one();
        int tlsPort = FreePorts.one();
        Child nghttpx = Child.program(
                folder,
                "nghttpx",
                List.of(
                        Program.find("nghttpx").orElseThrow().toString(),
                        "--single-process",
                        "--conf=/dev/null",
                        "--frontend=127.0.0.1," + plainPort + ";no-tls",
                        "--frontend=127.0.0.1," + tlsPort,
                        "--backend=127.0.0.1," + nodePort + ";/",
                        "--backend=127.0.0.1," + echoPort + ";/ws",
                        certificate.key().toString(),
                        certificate.file().toString()));
        Await.until("nghttpx listens", () -> accepts(tlsPort));
        return new Front(plainPort, 0, tlsPort, nghttpx::close);
    }

    /** The gateway, before a node of WebSocket with that URL at {@code /ws}. */
    static Front ofSigma(Path folder, Certificate certificate, int nodePort, String echoUrl) {
        return ours(Sigma.run(folder, SigmaJson.web(certificate, nodePort, echoUrl)));
    }

    /** Starts the gateway before a node of gRPC, for clients of gRPC-Web. */
    static Front startGrpcWeb(Path folder, Certificate certificate, int nodePort) {
        return ours(Sigma.run(folder, SigmaJson.grpcWeb(certificate, nodePort)));
    }

    /** Starts the gateway before a node, whose answers it compresses in the coding that the path begins with. */
    static Front startCodings(Path folder, Certificate certificate, int nodePort) {
        return ours(Sigma.run(folder, SigmaJson.codings(certificate, nodePort)));
    }

    private static Front ours(Sigma sigma) {
        return new Front(sigma.port("plain"), sigma.port("h2c"), sigma.port("tls"), sigma::close);
    }

    /** Whether it is the gateway. */
    static boolean isOurs() {
        return !"nghttpx".equals(System.getProperty("sigma.interop.front"));
    }

    /** The address of its root, without the slash. */
    String url(String scheme, Wire wire) {
        return scheme + (wire.isEncrypted() ? "s" : "") + "://localhost:" + (wire.isEncrypted() ? tlsPort : plainPort);
    }

    static boolean accepts(int port) {
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        end.run();
    }
}
