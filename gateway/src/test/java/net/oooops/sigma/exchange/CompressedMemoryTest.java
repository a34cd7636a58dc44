package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What a compressed answer holds of memory while its client takes its time. */
@Isolated("memory of the whole process")
class CompressedMemoryTest {
    /** What a node's client may hold, however slowly it reads: the coder's memory, and buffers. */
    @Test
    void aSlowClientHoldsLittle() throws IOException {
        ByteArrayOutputStream random = new ByteArrayOutputStream();
        byte[] noise = new byte[8 << 20];
        new Random(1).nextBytes(noise);
        random.writeBytes(noise);
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> CompressedAnswersTest.text(random.toByteArray()));
                GatewayFixture gateway =
                        CompressedAnswersTest.compressing(upstream).start();
                DirectMemory memory = DirectMemory.watched();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.send(CompressedAnswersTest.asking("GET", "gzip")).readHead();
            client.readExactly(10);
            Ask.standstill("what the node has sent", () -> Ask.pool(gateway).open());
            assertThat(memory.grownBytesMax()).isLessThan(16 << 20);
        }
    }
}
