package net.oooops.sigma.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.time.DeadlineWheel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a call knows of its answer: where messages end, where that can be of use. */
@SuppressWarnings("NullAway.Init")
class GrpcCallTest {
    /** One without content, one of 3 bytes, one of 300. */
    private static final byte[] MESSAGES = messages(0, 3, 300);

    private static final Set<Integer> ENDS = Set.of(0, 5, 13, 318);

    private final DefaultEventLoop loop = new DefaultEventLoop();
    private LoneRoad lone;
    private HttpExchange x;
    private GrpcCall call;

    private static byte[] messages(int... lengths) {
        ByteBuf all = Unpooled.buffer();
        for (int length : lengths) {
            all.writeByte(0).writeInt(length).writeZero(length);
        }
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    @BeforeEach
    void start() throws Exception {
        Bootstrap bootstrap = new Bootstrap().group(loop).channel(NioSocketChannel.class);
        lone = new LoneRoad(loop, GatewayFixture.toPorts(1).config(), bootstrap);
        begin();
    }

    private void begin() {
        ServerStream stream = (ServerStream) Proxy.newProxyInstance(
                ServerStream.class.getClassLoader(), new Class<?>[] {ServerStream.class}, (_, _, _) -> null);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        x = new HttpExchange(new HttpProxy(lone.road(), lone.listener()), stream, new Peer(address, address, null));
        x.request.head.http2();
        x.response.head.set(Field.of("content-type", "application/grpc"));
        call = GrpcCall.made(x, new DeadlineWheel(System::nanoTime));
    }

    @AfterEach
    void stop() {
        lone.end();
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private void pass(int from, int to) {
        call.passes(Unpooled.wrappedBuffer(MESSAGES, from, to - from), to - from);
    }

    private void assertEnd(int at) {
        assertThat(call.lastWord(Fault.UPSTREAM_TRUNCATED) != null)
                .as("%d of %d", at, MESSAGES.length)
                .isEqualTo(ENDS.contains(at));
    }

    @Test
    void whereMessagesEndIsKnownHoweverTheyAreCut() {
        for (int first = 0; first <= MESSAGES.length; first++) {
            for (int second = first; second <= MESSAGES.length; second += 3) {
                begin();
                pass(0, first);
                assertEnd(first);
                pass(first, second);
                assertEnd(second);
                pass(second, MESSAGES.length);
                assertEnd(MESSAGES.length);
            }
        }
    }

    private void assertNotLookedAt() {
        // There is nothing there to be looked at.
        assertThatCode(() -> call.passes(Unpooled.EMPTY_BUFFER, 1)).doesNotThrowAnyException();
        assertThat(call.lastWord(Fault.UPSTREAM_TRUNCATED)).isNull();
    }

    @Test
    void oneThatMayHaveALastWordIsLookedAt() {
        assertThatThrownBy(() -> call.passes(Unpooled.EMPTY_BUFFER, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void oneOfAKnownLengthIsNotLookedAt() {
        byte[] line = "content-length: 9".getBytes(US_ASCII);
        x.response.head.append(line, 0, line.length);
        assertThat(x.response.head.accept(0, 14, 16, 17)).isTrue();
        assertNotLookedAt();
    }

    @Test
    void oneThatIsCollectedIsNotLookedAt() {
        x.response.body.collect();
        assertNotLookedAt();
    }

    /** It is told by the end of its connection. */
    @Test
    void oneToAClientOfHttp1IsNotLookedAt() {
        x.request.head.clear();
        assertNotLookedAt();
    }
}
