package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.certificate.CertificateFiles;
import net.oooops.sigma.exchange.DirectMemory;
import net.oooops.sigma.exchange.Standstill;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.SecureClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** TLS of clients ends at a TCP server, and a client that doesn't read costs no more memory than one over a plain connection. */
@Isolated("direct memory")
class EncryptedSessionMemoryTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final RawServer node = RawServer.start();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @AfterEach
    void stop() {
        node.close();
    }

    /** As over a plain connection: what the client doesn't take waits at the node. */
    @Test
    void whoReadsSlowlyHoldsTheNode() throws Exception {
        Certificates certificates = new Certificates(dir);
        SecureClient secure = new SecureClient(certificates.authority(), null);
        CertificateFiles files = certificates.files(certificates.issued("a.example"));
        Map<String, Object> shown = Map.of(
                "certPath", files.certificates().toString(),
                "keyPath", files.all().get(1).toString());
        GeneratedBody down = GeneratedBody.of(7, 64L << 20);
        try (TcpFixture gateway = TcpFixture.to(node).server("ssl", shown).start();
                Socket narrow = new Socket()) {
            narrow.setReceiveBufferSize(4096);
            narrow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port()));
            try (RawClient client = RawClient.of(secure.over(narrow, "a.example"), PATIENCE);
                    RawClient server = node.accept().deadline(PATIENCE);
                    DirectMemory memory = DirectMemory.watched()) {
                CompletableFuture<Void> sent = Background.run(() -> server.send(down));
                Standstill standstill = new Standstill();
                Await.until(
                        "the node's output stands still",
                        () -> standstill.seen(gateway.count(Counter.UPSTREAM_BYTES_RECEIVED)));
                assertThat(sent).isNotDone();
                assertThat(gateway.count(Counter.UPSTREAM_BYTES_RECEIVED)).isLessThan(24 << 20);
                client.send("still here");
                assertThat(new String(server.readExactly(10), US_ASCII)).isEqualTo("still here");
                assertThat(Hash.of(client.readExactly((int) down.bytes()))).isEqualTo(down.sha256());
                sent.join();
                assertThat(memory.grownBytesMax()).isLessThan(16 << 20);
            }
        }
    }
}
