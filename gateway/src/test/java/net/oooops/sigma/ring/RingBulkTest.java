package net.oooops.sigma.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FixedRecvByteBufAllocator;
import java.net.Socket;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import net.oooops.sigma.ring.RingLoop.Counting;
import net.oooops.sigma.ring.RingLoop.Echo;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections on an io_uring that are said to bring more at once than the buffers of their event loop hold. */
class RingBulkTest {
    private static final int PIECE_BYTES = 512 * 1024;

    private final RingLoop loop = RingLoop.start();
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);

    @AfterEach
    void stop() {
        loop.close();
        assertThat(memory.metric().usedDirectMemory()).isZero();
    }

    private void expectMuch(Channel channel) {
        channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(PIECE_BYTES));
        channel.config().setAllocator(memory);
    }

    /** Does it before anything is received. */
    private int listen(ChannelInboundHandlerAdapter handler) {
        return loop.listen(() -> new ChannelInboundHandlerAdapter() {
            @Override
            public void handlerAdded(ChannelHandlerContext ctx) {
                expectMuch(ctx.channel());
                ctx.pipeline().addLast(handler);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 65_536, 65_537, 600_000, 20_000_000})
    void whatIsSentComesBackUnchanged(int size) throws Exception {
        int port = listen(new Echo());
        byte[] sent = GeneratedBody.of(size, size).toBytes();
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            CompletableFuture<Void> sending =
                    CompletableFuture.runAsync(() -> RingLoop.send(client, sent), Thread::startVirtualThread);
            assertThat(client.getInputStream().readNBytes(size)).isEqualTo(sent);
            sending.get();
        }
    }

    @Test
    void muchAndLittleTakeTurns() throws Exception {
        int port = listen(new Echo());
        byte[] all = GeneratedBody.of(5, 4 << 20).toBytes();
        int[] sizes = {10, 900_000, 7, 4096, 70_000, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8192, 3, 1_300_000, 5};
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            int from = 0;
            for (int size : sizes) {
                byte[] part = Arrays.copyOfRange(all, from, from + size);
                CompletableFuture<Void> sending =
                        CompletableFuture.runAsync(() -> RingLoop.send(client, part), Thread::startVirtualThread);
                assertThat(client.getInputStream().readNBytes(size)).isEqualTo(part);
                sending.get();
                from += size;
            }
        }
    }

    /** Reads once each time it is asked to, and says how much came and how much memory that holds. */
    private static final class Asked extends ChannelInboundHandlerAdapter {
        private record Piece(int bytes, int held) {}

        final Queue<Piece> pieces = new ConcurrentLinkedQueue<>();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.channel().config().setAutoRead(false);
            ByteBuf in = (ByteBuf) message;
            pieces.add(new Piece(in.readableBytes(), in.capacity()));
            in.release();
        }
    }

    @Test
    void muchIsOnePieceAndLittleHoldsLittle() throws Exception {
        Asked asked = new Asked();
        int port = listen(asked);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            RingLoop.send(client, new byte[1 << 20]);
            Await.until("the first piece", () -> asked.pieces.size() == 1);
            // What the kernel had for the first receive beyond that piece is handed over before the next one begins.
            while (asked.pieces.stream().noneMatch(piece -> piece.bytes() > SharedBuffers.LARGE_BYTES)) {
                int before = asked.pieces.size();
                loop.firstAccepted().read();
                Await.until("a piece", () -> asked.pieces.size() > before);
            }
            while (asked.pieces.stream().mapToInt(Asked.Piece::bytes).sum() < 1 << 20) {
                int before = asked.pieces.size();
                loop.firstAccepted().read();
                Await.until("a piece", () -> asked.pieces.size() > before);
            }
            int before = asked.pieces.size();
            loop.firstAccepted().read();
            RingLoop.send(client, new byte[10]);
            Await.until("the last piece", () -> asked.pieces.size() > before);
            Asked.Piece last = asked.pieces.stream().reduce((any, next) -> next).orElseThrow();
            assertThat(last).isEqualTo(new Asked.Piece(10, 10));
        }
    }

    @Test
    void aConnectionThatIsClosedWhileItWaitsGivesItsMemoryBack() throws Exception {
        Counting counting = new Counting();
        int port = listen(counting);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            RingLoop.send(client, new byte[1 << 20]);
            Await.until("all of it", () -> counting.bytes.get() == 1 << 20);
            Await.until("the next receive", () -> memory.metric().usedDirectMemory() == PIECE_BYTES);
            loop.firstAccepted().close().sync();
            assertThat(memory.metric().usedDirectMemory()).isZero();
        }
    }

    @Test
    void aConnectionThatPausesGivesItsMemoryBack() throws Exception {
        Counting counting = new Counting();
        int port = listen(counting);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            RingLoop.send(client, new byte[1 << 20]);
            Await.until("all of it", () -> counting.bytes.get() == 1 << 20);
            loop.firstAccepted().config().setAutoRead(false);
            Await.until("it is given back", () -> memory.metric().usedDirectMemory() == 0);
            RingLoop.send(client, new byte[100_000]);
            assertThat(counting.bytes.get()).isEqualTo(1 << 20);
            loop.firstAccepted().config().setAutoRead(true);
            Await.until("the rest", () -> counting.bytes.get() == (1 << 20) + 100_000);
        }
    }
}
