package net.oooops.sigma.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is understood of a ClientHello, and what isn't. */
class ClientHelloTest {
    @TempDir
    Path dir;

    private static ClientHello understood(ByteBuf hello) {
        return Objects.requireNonNull(ClientHello.of(hello), "not understood");
    }

    /** One with these extensions; with none of their length where they are null. */
    private static ByteBuf hello(byte @Nullable [] extensions) {
        ByteBuf body = Unpooled.buffer().writeShort(0x0303).writeZero(32);
        body.writeByte(0).writeShort(2).writeShort(0x1301).writeByte(1).writeByte(0);
        if (extensions != null) {
            body.writeShort(extensions.length).writeBytes(extensions);
        }
        return record(body);
    }

    private static ByteBuf record(ByteBuf body) {
        int bytes = body.readableBytes();
        return Unpooled.buffer()
                .writeByte(22)
                .writeShort(0x0301)
                .writeShort(bytes + 4)
                .writeByte(1)
                .writeMedium(bytes)
                .writeBytes(body);
    }

    private static byte[] extension(int type, ByteBuf value) {
        return ByteBufUtil.getBytes(Unpooled.buffer()
                .writeShort(type)
                .writeShort(value.readableBytes())
                .writeBytes(value));
    }

    private static byte[] name(int kind, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
        return extension(
                0,
                Unpooled.buffer()
                        .writeShort(bytes.length + 3)
                        .writeByte(kind)
                        .writeShort(bytes.length)
                        .writeBytes(bytes));
    }

    private static byte[] protocols(String... names) {
        ByteBuf list = Unpooled.buffer();
        for (String name : names) {
            list.writeByte(name.length()).writeBytes(name.getBytes(StandardCharsets.ISO_8859_1));
        }
        return extension(16, Unpooled.buffer().writeShort(list.readableBytes()).writeBytes(list));
    }

    private static byte[] joined(byte[]... parts) {
        return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(parts));
    }

    @Test
    void hostAndProtocolsAreUnderstood() {
        byte[] other = extension(0x0A0A, Unpooled.EMPTY_BUFFER);
        ClientHello hello = understood(hello(joined(other, name(0, "A.Example"), protocols("h2", "http/1.1"))));
        assertThat(hello.host()).isEqualTo("a.example");
        assertThat(hello.protocols()).containsExactly("h2", "http/1.1");
    }

    @Test
    void thereNeedBeNone() {
        for (byte[] extensions : new byte[][] {null, {}, extension(43, Unpooled.EMPTY_BUFFER)}) {
            ClientHello hello = understood(hello(extensions));
            assertThat(hello.host()).isNull();
            assertThat(hello.protocols()).isEmpty();
        }
    }

    @Test
    void whatClientsSendIsUnderstoodWhereverItIsCut() {
        byte[] whole = new SecureClient(new Certificates(dir).authority(), null)
                .speaking("h2", "mqtt")
                .hello("www.a.example");
        assertThat(understood(Unpooled.wrappedBuffer(whole)).protocols()).containsExactly("h2", "mqtt");
        for (int at = 6; at < whole.length; at++) {
            int first = at - 5;
            int second = whole.length - at;
            ByteBuf cut = Unpooled.buffer()
                    .writeByte(22)
                    .writeShort(0x0301)
                    .writeShort(first)
                    .writeBytes(whole, 5, first)
                    .writeByte(22)
                    .writeShort(0x0301)
                    .writeShort(second)
                    .writeBytes(whole, at, second);
            ClientHello hello = understood(cut);
            assertThat(hello.host()).isEqualTo("www.a.example");
            assertThat(ClientHello.of(Unpooled.wrappedBuffer(Arrays.copyOf(whole, at))))
                    .isNull();
        }
    }

    @Test
    void whatIsNotAsItHasToBeIsNotUnderstood() {
        byte[] good = name(0, "a.example");
        byte[][] bad = {
            // Two of a kind.
            joined(good, good),
            joined(protocols("h2"), protocols("h2")),
            // A kind of name that there isn't, none, an empty one, one that no host has.
            name(1, "a.example"),
            extension(0, Unpooled.buffer().writeShort(0)),
            name(0, ""),
            name(0, "a example"),
            name(0, "a\u0000.example"),
            name(0, "\u00E4.example"),
            name(0, "x".repeat(256)),
            // A length that isn't its own.
            Arrays.copyOf(good, good.length - 1),
            joined(good, new byte[] {0}),
            extension(0, Unpooled.buffer().writeShort(1)),
            // No protocol, an empty one.
            protocols(),
            protocols("h2", ""),
        };
        for (byte[] extensions : bad) {
            assertThat(ClientHello.of(hello(extensions)))
                    .as(ByteBufUtil.hexDump(extensions))
                    .isNull();
        }
        assertThat(ClientHello.of(record(Unpooled.buffer().writeZero(20)))).isNull();
        ByteBuf behind = hello(good);
        behind.setShort(3, behind.getUnsignedShort(3) + 1);
        behind.setMedium(6, behind.getUnsignedMedium(6) + 1);
        assertThat(ClientHello.of(behind.writeByte(0))).isNull();
        ByteBuf server = hello(good);
        server.setByte(5, 2);
        assertThat(ClientHello.of(server)).isNull();
    }
}
