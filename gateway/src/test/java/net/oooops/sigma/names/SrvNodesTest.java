package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.oooops.sigma.config.NodeConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** SRV records become nodes as RFC 2782 means them, as far as nodes can say it. */
class SrvNodesTest {
    private static SrvRecord record(int priority, int weight, String target) {
        return new SrvRecord(priority, weight, 8000, target);
    }

    private static NodeConfig node(String host, int weight, boolean backup) {
        return new NodeConfig(host, 8000, weight, backup, "");
    }

    private static List<Integer> weights(SrvRecord... records) {
        List<NodeConfig> nodes = SrvNodes.of(List.of(records));
        return nodes == null
                ? List.of()
                : nodes.stream().map(NodeConfig::weight).toList();
    }

    @Test
    void theLowestPriorityMakesNodesAndTheOthersBackups() {
        assertThat(SrvNodes.of(List.of(record(30, 1, "d"), record(20, 7, "c"), record(10, 3, "a"), record(10, 1, "b"))))
                .containsExactly(node("a", 3, false), node("b", 1, false), node("c", 7, true), node("d", 1, true));
    }

    @Test
    void theOrderOfTheAnswerIsNoChange() {
        List<SrvRecord> records = new ArrayList<>(List.of(
                record(10, 1, "b"), record(10, 5, "a"), record(20, 0, "c"), record(20, 2, "d"), record(10, 9, "a")));
        List<NodeConfig> nodes = SrvNodes.of(records);
        assertThat(nodes).hasSize(4);
        Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            Collections.shuffle(records, random);
            assertThat(SrvNodes.of(records)).isEqualTo(nodes);
        }
    }

    @Test
    void aWeightOfZeroIsASmallShare() {
        assertThat(weights(record(1, 0, "a"), record(1, 1, "b"), record(1, 3, "c")))
                .containsExactly(1, 100, 300);
        assertThat(weights(record(1, 0, "a"), record(1, 10, "b"))).containsExactly(1, 100);
        assertThat(weights(record(1, 0, "a"), record(1, 200, "b"))).containsExactly(1, 200);
        assertThat(weights(record(1, 0, "a"), record(1, 0, "b"))).containsExactly(1, 1);
        assertThat(weights(record(1, 0, "a"), record(1, 1, "b"), record(1, 65535, "c")))
                .containsExactly(1, 1, 65535);
        assertThat(weights(record(1, 3, "a"), record(2, 0, "b"), record(2, 50, "c")))
                .containsExactly(3, 1, 100);
    }

    @Test
    void oneHostAndPortIsOneNode() {
        assertThat(SrvNodes.of(List.of(record(20, 9, "a"), record(10, 1, "a"), record(10, 5, "a"))))
                .containsExactly(node("a", 5, false));
        assertThat(SrvNodes.of(List.of(new SrvRecord(1, 1, 8001, "a"), new SrvRecord(1, 1, 8002, "a"))))
                .hasSize(2);
    }

    @Test
    void aDotMeansThatThereIsNoneAndNoUsableRecordIsNoAnswer() {
        assertThat(SrvNodes.of(List.of(record(0, 0, "")))).isEmpty();
        assertThat(SrvNodes.of(List.of(record(0, 0, ""), record(1, 1, "a")))).containsExactly(node("a", 1, false));
        assertThat(SrvNodes.of(List.of(new SrvRecord(0, 0, 0, "a")))).isNull();
        assertThat(SrvNodes.of(List.of(record(0, 0, "a b"), record(0, 0, "a..b"))))
                .isNull();
        assertThat(SrvNodes.of(List.of())).isNull();
    }

    private static DnsRecord raw(DnsRecordType type, ByteBuf content) {
        return new DefaultDnsRawRecord("_http._tcp.example.", type, 60, content);
    }

    /** Priority 1, weight 2, port 3, and these labels. */
    private static ByteBuf content(@Nullable String... labels) {
        ByteBuf content = Unpooled.buffer().writeShort(1).writeShort(2).writeShort(3);
        for (String label : labels) {
            byte[] bytes = String.valueOf(label).getBytes(StandardCharsets.US_ASCII);
            content.writeByte(bytes.length).writeBytes(bytes);
        }
        return content.writeByte(0);
    }

    @Test
    void recordsAreReadAndWhatIsNoneIsLeftOut() {
        ByteBuf endless = Unpooled.buffer().writeShort(1).writeShort(2).writeShort(3);
        endless.writeByte(0xC0).writeByte(6);
        List<DnsRecord> answer = List.of(
                raw(DnsRecordType.SRV, content("Node-1", "Example", "internal")),
                raw(DnsRecordType.SRV, content()),
                raw(DnsRecordType.CNAME, content("other")),
                raw(DnsRecordType.SRV, Unpooled.wrappedBuffer(new byte[] {0, 1, 0, 2, 0})),
                raw(DnsRecordType.SRV, content("cut").writerIndex(8)),
                raw(DnsRecordType.SRV, content("long".repeat(16))),
                raw(DnsRecordType.SRV, endless));
        assertThat(SrvRecord.of(answer))
                .containsExactly(new SrvRecord(1, 2, 3, "node-1.example.internal"), new SrvRecord(1, 2, 3, ""));
    }
}
