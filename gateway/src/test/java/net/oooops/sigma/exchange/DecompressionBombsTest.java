package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugins.compression.Decoded;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that aren't what they say, or become too much: what they hold, and what is said of them. */
@Isolated("memory of the whole process, and the log")
class DecompressionBombsTest {
    @ParameterizedTest
    @CsvSource({
        "gzip,false",
        "deflate,false",
        "br,false",
        "zstd,false",
        "gzip,true",
        "deflate,true",
        "br,true",
        "zstd,true"
    })
    void whatIsNotWhatItSaysIsRefused(String coding, boolean truncated) throws IOException {
        byte[] packed = Decoded.encoded(coding, DecompressedRequestsTest.random(5000));
        byte[] body = truncated ? Arrays.copyOf(packed, packed.length - 3) : DecompressedRequestsTest.random(5000);
        try (LoggedLines log = new LoggedLines(Worker.class);
                ScriptedUpstream upstream = DecompressedRequestsTest.upstream();
                GatewayFixture gateway = DecompressedRequestsTest.decompressing(upstream, Map.of())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(DecompressedRequestsTest.post(coding, body));
            assertThat(client.readResponse().status()).isEqualTo(400);
            assertThat(gateway.pluginCount("decompress-request", "garbled")).isEqualTo(1);
            assertThat(gateway.faults(Fault.BAD_REQUEST)).isZero();
            assertThat(upstream.requests()).noneMatch(ReceivedRequest::complete);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
            assertThat(log.lines())
                    .anyMatch(line -> line.startsWith("INFO plugin decompress-request refused a body: the body ")
                            && line.contains(coding));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
    void bombsAreRefusedBeforeTheyGoOff(String coding) throws IOException {
        byte[] bomb = DecompressedRequestsTest.bomb(coding, 64);
        try (LoggedLines log = new LoggedLines(Worker.class);
                ScriptedUpstream upstream = DecompressedRequestsTest.upstream();
                GatewayFixture gateway = DecompressedRequestsTest.decompressing(upstream, Map.of())
                        .start();
                DirectMemory memory = DirectMemory.watched();
                RawClient client = gateway.connect()) {
            client.sendUnlessClosed(DecompressedRequestsTest.post(coding, bomb), 100_000);
            assertThat(client.readResponse().status()).isEqualTo(413);
            assertThat(gateway.pluginCount("decompress-request", "too-large")).isEqualTo(1);
            assertThat(gateway.faults(Fault.BODY_TOO_LARGE)).isZero();
            assertThat(upstream.requests()).noneMatch(ReceivedRequest::complete);
            assertThat(memory.grownBytesMax()).isLessThan(16 << 20);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
            assertThat(log.lines()).anyMatch(line -> line.contains("(max-ratio)"));
        }
    }

    /** A chunk that becomes a hundred times what a call may write goes on as its node takes it. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
    void muchOfLittle(String coding) throws IOException {
        byte[] packed = DecompressedRequestsTest.bomb(coding, 40);
        long[] seen = {0};
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    seen[0] = request.bodyBytes();
                    return Answer.ok("done");
                });
                GatewayFixture gateway = DecompressedRequestsTest.decompressing(
                                upstream, Map.of("max-size", "1GiB", "max-ratio", 10_000_000))
                        .start();
                DirectMemory memory = DirectMemory.watched();
                RawClient client = gateway.connect()) {
            client.send(DecompressedRequestsTest.post(coding, packed));
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(seen[0]).isEqualTo(40L << 20);
            assertThat(memory.grownBytesMax()).isLessThan(16 << 20);
        }
    }
}
