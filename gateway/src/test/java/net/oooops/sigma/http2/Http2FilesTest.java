package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.OpenFiles;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files go out on streams of HTTP/2 as their windows allow. */
class Http2FilesTest {
    private static final int CANCEL = 8;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final byte[] large = new byte[10 * 1024 * 1024];

    @SuppressWarnings("NullAway.Init")
    private GatewayFixture gateway;

    @BeforeEach
    void start() throws IOException {
        new Random(3).nextBytes(large);
        Files.write(folder.resolve("large"), large);
        Files.writeString(folder.resolve("small.txt"), "small");
        gateway = GatewayFixture.toPorts(1)
                .route(new RouteConfig(
                        "files",
                        "",
                        "/*",
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        "",
                        List.of(GatewayFixture.plugin("static-resources", Map.of("root", folder.toString())))))
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        OpenFiles.none(folder);
    }

    @Test
    void largeAndSmallOnesAtOnce() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            assertThat(client.get(1, "/large").response(1).body()).isEqualTo(large);
            assertThat(client.get(3, "/small.txt").response(3).text()).isEqualTo("small");
            assertThat(client.get(5, "/large", "range", "bytes=100-199")
                            .response(5)
                            .body())
                    .hasSize(100);
            assertThat(client.request(7, true, "HEAD", "/large").response(7).head())
                    .containsEntry("content-length", "" + large.length);
            assertThat(client.get(9, "/none").response(9).status()).isEqualTo(404);
        }
    }

    @Test
    void aStreamThatIsResetClosesItsFile() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 1000)) {
            client.get(1, "/large").await(Http2Client.DATA);
            Await.until("open", () -> OpenFiles.count(folder) == 1);
            client.reset(1, CANCEL);
            OpenFiles.none(folder);
            assertThat(client.get(3, "/small.txt").response(3).text()).isEqualTo("small");
        }
        assertThat(gateway.faults(Fault.CLIENT_GONE)).isEqualTo(1);
    }

    @Test
    void aFileThatShrinksResetsItsStream() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 1000)) {
            client.get(1, "/large").await(Http2Client.DATA);
            try (FileChannel writes = FileChannel.open(folder.resolve("large"), StandardOpenOption.WRITE)) {
                writes.truncate(500_000);
            }
            client.window(1, large.length).window(0, large.length);
            assertThat(client.await(Http2Client.RST_STREAM).stream()).isEqualTo(1);
            assertThat(client.get(3, "/small.txt").response(3).text()).isEqualTo("small");
        }
        assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
        assertThat(gateway.count(Counter.REQUESTS_IN_FLIGHT)).isZero();
    }
}
