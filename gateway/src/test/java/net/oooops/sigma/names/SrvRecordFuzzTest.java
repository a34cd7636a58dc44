package net.oooops.sigma.names;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import java.util.List;
import net.oooops.sigma.config.NodeConfig;

/** Whatever a name server sends, there are nodes that can be nodes, or none. */
class SrvRecordFuzzTest {
    @FuzzTest
    void anyBytesAreARecordOrNone(byte[] bytes) {
        ByteBuf content = Unpooled.wrappedBuffer(bytes);
        List<SrvRecord> records =
                SrvRecord.of(List.of(new DefaultDnsRawRecord("a.example.", DnsRecordType.SRV, 60, content)));
        assertThat(records).hasSizeLessThanOrEqualTo(1);
        List<NodeConfig> nodes = SrvNodes.of(records);
        if (nodes != null) {
            assertThat(nodes).allMatch(node -> node.port() > 0 && node.weight() >= 1 && NodeConfig.isHost(node.host()));
        }
    }
}
