package net.oooops.sigma.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.ring.RingLoop.Counting;
import net.oooops.sigma.ring.RingLoop.Echo;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections on an io_uring, with plain sockets of the JDK at their other end. */
class RingSocketChannelTest {
    private final RingLoop loop = RingLoop.start();

    @AfterEach
    void stop() {
        loop.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 4095, 4096, 4097, 8192, 65_536, 300_000, 5_000_000})
    void whatIsSentComesBackUnchanged(int size) throws Exception {
        int port = loop.listen(Echo::new);
        byte[] sent = GeneratedBody.of(size, size).toBytes();
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            CompletableFuture<Void> sending =
                    CompletableFuture.runAsync(() -> RingLoop.send(client, sent), Thread::startVirtualThread);
            byte[] received = client.getInputStream().readNBytes(size);

            assertThat(received).isEqualTo(sent);
            sending.get();
        }
    }

    @Test
    void smallAndLargeMessagesTakeTurns() throws Exception {
        int port = loop.listen(Echo::new);
        byte[] all = GeneratedBody.of(5, 1 << 20).toBytes();
        int[] sizes = {10, 200_000, 7, 4096, 4096, 50_000, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8192, 3, 300_000};
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            int from = 0;
            for (int size : sizes) {
                int at = from;
                byte[] part = Arrays.copyOfRange(all, at, at + size);
                CompletableFuture<Void> sending =
                        CompletableFuture.runAsync(() -> RingLoop.send(client, part), Thread::startVirtualThread);
                assertThat(client.getInputStream().readNBytes(size)).isEqualTo(part);
                sending.get();
                from += size;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 1 << 20})
    void moreConnectionsThanBuffersAreAllServed(int size) throws Exception {
        int port = loop.listen(Echo::new);
        byte[] sent = GeneratedBody.of(9, size).toBytes();
        int count = size > 1000 ? 40 : 700;
        List<Socket> clients = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                clients.add(new Socket(RingLoop.LOOPBACK, port));
            }
            List<Thread> senders = clients.stream()
                    .map(client -> Thread.ofVirtual().start(() -> RingLoop.send(client, sent)))
                    .toList();
            List<CompletableFuture<byte[]>> answers = clients.stream()
                    .map(client ->
                            CompletableFuture.supplyAsync(() -> receive(client, size), Thread::startVirtualThread))
                    .toList();
            for (CompletableFuture<byte[]> answer : answers) {
                assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(sent);
            }
            for (Thread sender : senders) {
                sender.join();
            }
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    private static byte[] receive(Socket socket, int count) {
        try {
            InputStream in = socket.getInputStream();
            return in.readNBytes(count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int available(Socket socket) {
        try {
            return socket.getInputStream().available();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatPausesReceivesNoMoreThanOneTurnBrings() throws Exception {
        Counting counting = new Counting() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                super.channelRead(ctx, message);
                ctx.channel().config().setAutoRead(false);
            }
        };
        int port = loop.listen(() -> counting);
        try (SocketChannel client = SocketChannel.open(new InetSocketAddress(RingLoop.LOOPBACK, port))) {
            client.write(ByteBuffer.wrap(new byte[] {1}));
            Channel server = loop.firstAccepted();
            Await.until("the first byte", () -> counting.bytes.get() == 1);
            long before = fillUntilItStops(client);

            assertThat(counting.reads.get()).isEqualTo(1);
            for (int asked = 2; asked < 6; asked++) {
                int reads = asked;
                server.read();
                Await.until("one more", () -> counting.reads.get() == reads);
                assertThat(server.eventLoop().submit(counting.reads::get).get()).isEqualTo(asked);
            }
            long taken = counting.bytes.get();
            Counting rest = new Counting();
            server.pipeline().replace(counting, "rest", rest);
            server.config().setAutoRead(true);
            Await.until("all that was sent", () -> taken + rest.bytes.get() == before + 1);
        }
    }

    /** How many bytes were taken off the client before nothing more was. */
    private static long fillUntilItStops(SocketChannel client) throws IOException {
        client.configureBlocking(false);
        ByteBuffer chunk = ByteBuffer.allocate(64 * 1024);
        long total = 0;
        long stoppedAt = System.nanoTime();
        while (System.nanoTime() - stoppedAt < 300_000_000L) {
            chunk.clear();
            int written = client.write(chunk);
            total += written;
            if (written > 0) {
                stoppedAt = System.nanoTime();
            }
        }
        return total;
    }

    @Test
    void aSideThatEndsItsOutputStillGetsTheAnswer() throws Exception {
        Counting counting = new Counting() {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                super.userEventTriggered(ctx, event);
                if (event == ChannelInputShutdownEvent.INSTANCE) {
                    ctx.writeAndFlush(Unpooled.copiedBuffer(new byte[] {'e', 'n', 'd'}))
                            .addListener(done -> ctx.close());
                }
            }

            @Override
            public void handlerAdded(ChannelHandlerContext ctx) {
                ctx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            }
        };
        int port = loop.listen(() -> counting);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            RingLoop.send(client, new byte[10_000]);
            client.shutdownOutput();

            assertThat(client.getInputStream().readAllBytes()).containsExactly('e', 'n', 'd');
            assertThat(counting.bytes.get()).isEqualTo(10_000);
        }
    }

    @Test
    void theEndOfAPeerIsToldWhereTheOwnOutputHasEndedBefore() throws Exception {
        Counting counting = new Counting() {
            @Override
            public void handlerAdded(ChannelHandlerContext ctx) {
                ctx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            }
        };
        int port = loop.listen(() -> counting);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            RingSocketChannel server = (RingSocketChannel) loop.firstAccepted();
            server.shutdownOutput().sync();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            RingLoop.send(client, new byte[10]);
            client.shutdownOutput();

            Await.until("the end", () -> counting.events.contains(ChannelInputShutdownEvent.INSTANCE));
            assertThat(counting.bytes.get()).isEqualTo(10);
            assertThat(server.isOpen()).isTrue();
            server.close().sync();
        }
    }

    @Test
    void aPeerThatEndsClosesTheConnectionByDefault() throws Exception {
        Counting counting = new Counting();
        int port = loop.listen(() -> counting);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            RingLoop.send(client, new byte[10]);
            client.shutdownOutput();

            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThat(loop.firstAccepted().closeFuture().await(5, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(counting.bytes.get()).isEqualTo(10);
        }
    }

    @Test
    void aResetIsAnExceptionAndAClose() throws Exception {
        Counting counting = new Counting();
        int port = loop.listen(() -> counting);
        Socket client = new Socket(RingLoop.LOOPBACK, port);
        RingLoop.send(client, new byte[10]);
        Await.until("the bytes", () -> counting.bytes.get() == 10);
        client.setSoLinger(true, 0);
        client.close();

        assertThat(loop.firstAccepted().closeFuture().await(5, TimeUnit.SECONDS))
                .isTrue();
        assertThat(counting.events)
                .hasSize(1)
                .allSatisfy(event -> assertThat(event)
                        .isInstanceOf(IOException.class)
                        .asString()
                        .contains("reset"));
    }

    @Test
    void closingFailsWhatAClientDoesNotRead() throws Exception {
        int port = loop.listen(Counting::new);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            Channel server = loop.firstAccepted();
            ChannelFuture stuck = server.writeAndFlush(Unpooled.wrappedBuffer(new byte[32 << 20]));
            Await.until("some to be sent", () -> available(client) > 0);

            assertThat(server.close().await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(stuck.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(stuck.cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(server.isOpen()).isFalse();
        }
    }

    @Test
    void endingTheOutputFailsWhatAClientDoesNotRead() throws Exception {
        int port = loop.listen(Counting::new);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            RingSocketChannel server = (RingSocketChannel) loop.firstAccepted();
            byte[] sent = GeneratedBody.of(3, 32 << 20).toBytes();
            ChannelFuture stuck = server.writeAndFlush(Unpooled.wrappedBuffer(sent));
            Await.until("some to be sent", () -> available(client) > 0);

            server.shutdownOutput().sync();
            assertThat(stuck.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(stuck.cause()).isInstanceOf(IOException.class);
            byte[] received = client.getInputStream().readAllBytes();
            assertThat(received.length).isPositive().isLessThan(sent.length);
            assertThat(received).isEqualTo(Arrays.copyOf(sent, received.length));
            assertThat(server.isOutputShutdown()).isTrue();
            assertThat(server.isInputShutdown()).isFalse();
        }
    }

    @Test
    void manyWritesOfOneFlushArriveInOrder() throws Exception {
        int port = loop.listen(Counting::new);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            Channel server = loop.firstAccepted();
            byte[] sent = GeneratedBody.of(4, 1000 * 37).toBytes();
            server.eventLoop().execute(() -> {
                for (int i = 0; i < 1000; i++) {
                    server.write(Unpooled.wrappedBuffer(sent, i * 37, 37), server.voidPromise());
                    server.write(Unpooled.EMPTY_BUFFER, server.voidPromise());
                }
                server.flush();
            });
            assertThat(client.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
        }
    }

    @Test
    void whatIsFlushedAsTheConnectionBecomesWritableIsSentOnce() throws Exception {
        byte[] sent = GeneratedBody.of(6, 4 << 20).toBytes();
        int port = loop.listen(() -> new Counting() {
            private int from;

            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                fill(ctx);
            }

            @Override
            public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                fill(ctx);
            }

            private void fill(ChannelHandlerContext ctx) {
                while (ctx.channel().isWritable() && from < sent.length) {
                    int count = Math.min(10_000, sent.length - from);
                    ctx.write(Unpooled.wrappedBuffer(sent, from, count), ctx.voidPromise());
                    from += count;
                }
                ctx.flush();
            }
        });
        try (Socket client = new Socket()) {
            client.setReceiveBufferSize(8192);
            client.connect(new InetSocketAddress(RingLoop.LOOPBACK, port));

            assertThat(client.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
        }
    }

    /** What isn't released then the leak gate finds. */
    @Test
    void anEventLoopThatEndsInTheMiddleOfTransfersReleasesItsBuffers() throws Exception {
        int port = loop.listen(Echo::new);
        List<Socket> clients = new ArrayList<>();
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Socket client = new Socket(RingLoop.LOOPBACK, port);
            clients.add(client);
            senders.add(Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        client.getOutputStream().write(new byte[100_000]);
                        client.getInputStream().skipNBytes(50_000);
                    }
                } catch (IOException e) {
                    // The gateway's side is gone.
                }
            }));
        }
        Await.until("transfers", () -> loop.accepted().size() == 30 && available(clients.get(29)) > 0);

        loop.close();
        assertThat(loop.accepted()).noneMatch(Channel::isOpen);
        for (Thread sender : senders) {
            sender.join();
        }
        for (Socket client : clients) {
            client.close();
        }
    }

    @Test
    void onlyBuffersAreWritten() throws Exception {
        int port = loop.listen(Counting::new);
        try (Socket client = new Socket(RingLoop.LOOPBACK, port)) {
            assertThat(client.isConnected()).isTrue();
            Channel server = loop.firstAccepted();

            assertThatThrownBy(() -> server.writeAndFlush("text").sync())
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("java.lang.String (expected: a ByteBuf)");
            server.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {'h', 'e', 'a', 'p'})
                            .asReadOnly())
                    .sync();
            assertThat(client.getInputStream().readNBytes(4)).containsExactly('h', 'e', 'a', 'p');
        }
    }
}
