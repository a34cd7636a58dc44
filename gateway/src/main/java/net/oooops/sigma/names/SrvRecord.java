package net.oooops.sigma.names;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.dns.DefaultDnsRecordDecoder;
import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One SRV record (RFC 2782).
 *
 * @param priority the lowest is used first
 * @param weight its share among those of its priority, 0 to 65535
 * @param port where the target listens
 * @param target a host name in lower case, without the dot at its end; empty where there is no such service
 */
public record SrvRecord(int priority, int weight, int port, String target) {
    private static final int BYTES_MIN = 7;

    /** Whether it says that there is no such service at all. */
    public boolean isNone() {
        return target.isEmpty();
    }

    /** What an answer says; records that can't be understood are left out. Releases nothing. */
    static List<SrvRecord> of(List<DnsRecord> answer) {
        List<SrvRecord> records = new ArrayList<>();
        for (DnsRecord each : answer) {
            SrvRecord record = each.type().equals(DnsRecordType.SRV) && each instanceof DnsRawRecord raw
                    ? of(raw.content())
                    : null;
            if (record != null) {
                records.add(record);
            }
        }
        return records;
    }

    private static @Nullable SrvRecord of(ByteBuf content) {
        if (content.readableBytes() < BYTES_MIN) {
            return null;
        }
        // The name may point to another place of the packet, which RFC 2782 forbids and some do.
        ByteBuf in = content.duplicate();
        int priority = in.readUnsignedShort();
        int weight = in.readUnsignedShort();
        int port = in.readUnsignedShort();
        try {
            String target = DefaultDnsRecordDecoder.decodeName(in).toLowerCase(Locale.ROOT);
            int end = target.endsWith(".") ? target.length() - 1 : target.length();
            return new SrvRecord(priority, weight, port, target.substring(0, end));
        } catch (DecoderException | IndexOutOfBoundsException e) {
            return null;
        }
    }
}
