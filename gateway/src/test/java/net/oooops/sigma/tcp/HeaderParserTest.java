package net.oooops.sigma.tcp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.session.Headers;
import net.oooops.sigma.tcp.HeaderParser.Step;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderParserTest {
    private static final byte[] IPV4 = Headers.ipv4("203.0.113.7", "198.51.100.1", 4000, 443);
    private static final byte[] IPV6 = Headers.addresses("2001:db8::7", "2001:db8::1", 65535, 0);
    private static final Endpoints ENDS = ends("203.0.113.7", 4000, "198.51.100.1", 443);
    private static final Endpoints ENDS6 = ends("2001:db8::7", 65535, "2001:db8::1", 0);

    private static Endpoints ends(String client, int clientPort, String local, int localPort) {
        return new Endpoints(
                Objects.requireNonNull(IpAddress.parse(client)),
                clientPort,
                Objects.requireNonNull(IpAddress.parse(local)),
                localPort);
    }

    private static byte[] v1(String line) {
        return line.getBytes(ISO_8859_1);
    }

    static List<Arguments> right() {
        List<Arguments> right = new ArrayList<>();
        right.add(Arguments.of(v1("PROXY TCP4 203.0.113.7 198.51.100.1 4000 443\r\n"), ENDS));
        right.add(Arguments.of(v1("PROXY TCP6 2001:db8::7 2001:db8::1 65535 0\r\n"), ENDS6));
        right.add(Arguments.of(v1("PROXY TCP6 ::ffff:203.0.113.7 ::ffff:198.51.100.1 4000 443\r\n"), ENDS));
        right.add(Arguments.of(v1("PROXY UNKNOWN\r\n"), null));
        right.add(Arguments.of(v1("PROXY UNKNOWN ffff::1 what ever it is\r\n"), null));
        right.add(Arguments.of(
                v1("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535 " + "x".repeat(45) + "\r\n"), null));
        right.add(Arguments.of(Headers.v2(0x21, 0x11, IPV4), ENDS));
        right.add(Arguments.of(Headers.v2(0x21, 0x21, IPV6), ENDS6));
        right.add(Arguments.of(Headers.v2(0x20, 0x00, new byte[0]), null));
        right.add(Arguments.of(Headers.v2(0x20, 0x11, IPV4), null));
        right.add(Arguments.of(Headers.v2(0x21, 0x00, new byte[7]), null));
        right.add(Arguments.of(Headers.v2(0x21, 0x31, new byte[216]), null));
        right.add(Arguments.of(
                Headers.v2(0x21, 0x11, Headers.joined(IPV4, Headers.tlv(4, new byte[20]), Headers.tlv(0xEA))), ENDS));
        right.add(Arguments.of(Headers.withChecksum(IPV4, true), ENDS));
        return right;
    }

    @ParameterizedTest
    @MethodSource("right")
    void isReadAndLeavesWhatFollows(byte[] header, @Nullable Endpoints ends) {
        HeaderParser parser = new HeaderParser();
        ByteBuf in = Unpooled.wrappedBuffer(header, new byte[] {'a', 'b'});
        assertThat(parser.parse(in)).isEqualTo(Step.DONE);
        assertThat(parser.endpoints()).isEqualTo(ends);
        assertThat(in.readableBytes()).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("right")
    void isReadWhereverItIsCut(byte[] header, @Nullable Endpoints ends) {
        for (int cut = 0; cut < header.length; cut++) {
            HeaderParser parser = new HeaderParser();
            assertThat(parser.parse(Unpooled.wrappedBuffer(header, 0, cut)))
                    .as("the first %d bytes", cut)
                    .isEqualTo(Step.MORE);
            assertThat(parser.parse(Unpooled.wrappedBuffer(header))).isEqualTo(Step.DONE);
            assertThat(parser.endpoints()).isEqualTo(ends);
        }
    }

    private static HeaderRefusal refusal(byte[] header) {
        HeaderParser parser = new HeaderParser();
        assertThat(parser.parse(Unpooled.wrappedBuffer(header))).isEqualTo(Step.REFUSED);
        return parser.refusal();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"G", "GET / HTTP/1.1", "PROXI", "proxy TCP4", "PROXY\tTCP4", "\n", "\r\r", "\r\n\r\n\0\r\nQUIX"})
    void somethingElseIsToldAtItsFirstByte(String begin) {
        assertThat(refusal(v1(begin))).isEqualTo(HeaderRefusal.ABSENT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXY \r\n",
                "PROXY TCP4\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 4000\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 4000 443 \r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 4000 443 1\r\n",
                "PROXY TCP4  203.0.113.7 198.51.100.1 4000 443\r\n",
                "PROXY  TCP4 203.0.113.7 198.51.100.1 4000 443\r\n",
                "PROXY tcp4 203.0.113.7 198.51.100.1 4000 443\r\n",
                "PROXY TCP5 203.0.113.7 198.51.100.1 4000 443\r\n",
                "PROXY UDP4 203.0.113.7 198.51.100.1 4000 443\r\n",
                "PROXY UNKNOWNX\r\n",
                "PROXY TCP4 2001:db8::7 2001:db8::1 4000 443\r\n",
                "PROXY TCP6 203.0.113.7 198.51.100.1 4000 443\r\n",
                "PROXY TCP4 203.0.113.7 2001:db8::1 4000 443\r\n",
                "PROXY TCP4 203.0.113.07 198.51.100.1 4000 443\r\n",
                "PROXY TCP4 203.0.113.256 198.51.100.1 4000 443\r\n",
                "PROXY TCP4 203.0.113 198.51.100.1 4000 443\r\n",
                "PROXY TCP4 localhost 198.51.100.1 4000 443\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 +4000 443\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 04000 443\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 -1 443\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 65536 443\r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 4000 \r\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 4000 443\n",
                "PROXY TCP4 203.0.113.7 198.51.100.1 4000 443\r\r\n",
                "PROXY TCP6 2001:db8::7%eth0 2001:db8::1 4000 443\r\n",
                "PROXY TCP6 2001:db8::7::1 2001:db8::1 4000 443\r\n"
            })
    void aMalformedLineIsRefused(String line) {
        assertThat(refusal(v1(line))).isEqualTo(HeaderRefusal.MALFORMED);
    }

    @Test
    void aLineOf107BytesIsTheLongest() {
        String longest = "PROXY UNKNOWN " + "x".repeat(91) + "\r\n";
        assertThat(longest).hasSize(107);
        assertThat(new HeaderParser().parse(Unpooled.wrappedBuffer(v1(longest))))
                .isEqualTo(Step.DONE);
        assertThat(refusal(v1("PROXY UNKNOWN " + "x".repeat(92) + "\r\n"))).isEqualTo(HeaderRefusal.TOO_LONG);
        assertThat(refusal(v1("PROXY UNKNOWN " + "x".repeat(93)))).isEqualTo(HeaderRefusal.TOO_LONG);
    }

    @Test
    void anotherVersionOrCommandIsRefusedAtItsByte() {
        for (int versionAndCommand : new int[] {0x01, 0x11, 0x22, 0x2F, 0x31, 0xFF}) {
            byte[] header = Headers.v2(versionAndCommand, 0x11, IPV4);
            assertThat(refusal(Arrays.copyOf(header, 13))).isEqualTo(HeaderRefusal.MALFORMED);
        }
    }

    @Test
    void datagramsAndUnknownFamiliesAreRefused() {
        for (int family : new int[] {0x01, 0x02, 0x10, 0x12, 0x13, 0x20, 0x22, 0x30, 0x32, 0x41, 0xF1}) {
            assertThat(refusal(Headers.v2(0x21, family, new byte[216])))
                    .as("family %x", family)
                    .isEqualTo(HeaderRefusal.MALFORMED);
        }
    }

    @Test
    void addressesThatDoNotFitTheirLengthAreRefused() {
        assertThat(refusal(Headers.v2(0x21, 0x11, new byte[11]))).isEqualTo(HeaderRefusal.MALFORMED);
        assertThat(refusal(Headers.v2(0x21, 0x21, new byte[35]))).isEqualTo(HeaderRefusal.MALFORMED);
        assertThat(refusal(Headers.v2(0x21, 0x31, new byte[215]))).isEqualTo(HeaderRefusal.MALFORMED);
    }

    @Test
    void tlvsThatDoNotEndWhereTheHeaderDoesAreRefused() {
        for (byte[] tlvs : new byte[][] {{4}, {4, 0}, {4, 0, 1}, {4, 0, 2, 1}, {4, 0, 0, 4}}) {
            assertThat(refusal(Headers.v2(0x21, 0x11, Headers.joined(IPV4, tlvs))))
                    .isEqualTo(HeaderRefusal.MALFORMED);
        }
    }

    @Test
    void aWrongChecksumIsRefused() {
        assertThat(refusal(Headers.withChecksum(IPV4, false))).isEqualTo(HeaderRefusal.CHECKSUM);
        byte[] shorter = Headers.v2(0x21, 0x11, Headers.joined(IPV4, Headers.tlv(3, new byte[3])));
        assertThat(refusal(shorter)).isEqualTo(HeaderRefusal.MALFORMED);
    }

    @Test
    void moreThanIsHeldIsRefusedByTheLengthAlone() {
        byte[] header = Headers.v2(0x21, 0x11, Headers.joined(IPV4, new byte[8192 - 16 - 12 + 1]));
        assertThat(refusal(Arrays.copyOf(header, 16))).isEqualTo(HeaderRefusal.TOO_LONG);
        byte[] tlv = Headers.tlv(4, new byte[8192 - 16 - 12 - 3]);
        assertThat(new HeaderParser().parse(Unpooled.wrappedBuffer(Headers.v2(0x21, 0x11, Headers.joined(IPV4, tlv)))))
                .isEqualTo(Step.DONE);
    }

    @ParameterizedTest
    @MethodSource("right")
    void whatIsWrittenIsReadAgain(byte[] header, @Nullable Endpoints ends) {
        if (ends == null) {
            return;
        }
        for (ByteBuf written : List.of(
                HeaderWriter.v1(UnpooledByteBufAllocator.DEFAULT, ends),
                HeaderWriter.v2(UnpooledByteBufAllocator.DEFAULT, ends))) {
            HeaderParser parser = new HeaderParser();
            assertThat(parser.parse(written)).isEqualTo(Step.DONE);
            assertThat(parser.endpoints()).isEqualTo(ends);
            assertThat(written.isReadable()).isFalse();
            written.release();
        }
    }

    @Test
    void addressesOfTwoFamiliesAreWrittenAsIpv6() {
        Endpoints mixed = ends("203.0.113.7", 4000, "2001:db8::1", 443);
        ByteBuf line = HeaderWriter.v1(UnpooledByteBufAllocator.DEFAULT, mixed);
        assertThat(line.toString(ISO_8859_1)).isEqualTo("PROXY TCP6 ::ffff:203.0.113.7 2001:db8::1 4000 443\r\n");
        line.release();
        ByteBuf header = HeaderWriter.v2(UnpooledByteBufAllocator.DEFAULT, mixed);
        HeaderParser parser = new HeaderParser();
        assertThat(parser.parse(header)).isEqualTo(Step.DONE);
        assertThat(parser.endpoints()).isEqualTo(mixed);
        header.release();
    }
}
