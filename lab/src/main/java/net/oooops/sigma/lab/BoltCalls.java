package net.oooops.sigma.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls of Bolt (protocol 1) and their answers, as bytes that are made once: a load and an upstream that cost so little that what is between them can be
 * measured. Each is one thread.
 *
 * <ul>
 *   <li>{@code java BoltCalls.java echo PORT} answers each request with its own content, until it is killed; prints {@code ready};
 *   <li>{@code java BoltCalls.java load PORT CONNECTIONS CALLS SECONDS} keeps so many calls in flight on each connection, and prints one line of JSON:
 *       {@code {"requests": answered calls, "duration_us": …, "errors": {"status": …, "stranger": …, "lost": …}}}.
 * </ul>
 *
 * Framing: {@code RpcCommand} of SOFABolt 1.6.
 */
public final class BoltCalls {
    private static final int REQUEST_BYTES = 22;
    private static final int RESPONSE_BYTES = 20;
    private static final int ID_AT = 5;
    private static final int STATUS_AT = 10;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final long LAST_ANSWERS_NANOS = 2_000_000_000L;
    private static final byte[] CLASS_NAME =
            "com.alipay.sofa.rpc.core.request.SofaRequest".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CONTENT =
            "{\"code\":200,\"msg\":\"success\",\"data\":null}".getBytes(StandardCharsets.US_ASCII);

    private BoltCalls() {}

    /**
     * Runs one of the two.
     * @param arguments as the class says
     * @throws IOException where a connection can't be opened or breaks
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 2 && arguments[0].equals("echo")) {
            new Echo(Integer.parseInt(arguments[1])).run();
        } else if (arguments.length == 5 && arguments[0].equals("load")) {
            int port = Integer.parseInt(arguments[1]);
            int connections = Integer.parseInt(arguments[2]);
            int calls = Integer.parseInt(arguments[3]);
            new Load(port, connections, calls).run(Integer.parseInt(arguments[4]));
        } else {
            System.err.println("arguments: " + String.join(" ", arguments)
                    + " (expected: echo PORT, or load PORT CONNECTIONS CALLS SECONDS)");
            System.exit(2);
        }
    }

    private static void putRequest(ByteBuffer out, int id) {
        out.put((byte) 1)
                .put((byte) 1)
                .putShort((short) 1)
                .put((byte) 1)
                .putInt(id)
                .put((byte) 1);
        out.putInt(3000).putShort((short) CLASS_NAME.length).putShort((short) 0).putInt(CONTENT.length);
        out.put(CLASS_NAME).put(CONTENT);
    }

    /** One connection: what came and isn't a whole frame yet, and what isn't sent yet. */
    private abstract static class Peer {
        final SocketChannel socket;
        final SelectionKey key;
        final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
        final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);

        Peer(SocketChannel socket, Selector selector) throws IOException {
            this.socket = socket;
            socket.configureBlocking(false);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            key = socket.register(selector, SelectionKey.OP_READ, this);
        }

        /** Takes the frame that begins at {@code at}; how long it is, or 0 where it isn't whole. */
        abstract int frame(int at);

        /** Reads, handles what is whole, sends what that made; whether the connection goes on. */
        boolean serve() throws IOException {
            int read = socket.read(in);
            int at = 0;
            int length = frame(at);
            while (length > 0) {
                at += length;
                length = frame(at);
            }
            in.limit(in.position()).position(at);
            in.compact();
            send();
            return read >= 0;
        }

        void send() throws IOException {
            out.flip();
            socket.write(out);
            out.compact();
            key.interestOps(out.position() > 0 ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    private static final class Echo {
        private final Selector selector = Selector.open();
        private final ServerSocketChannel listening = ServerSocketChannel.open();

        Echo(int port) throws IOException {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024);
            listening.configureBlocking(false);
            listening.register(selector, SelectionKey.OP_ACCEPT);
            System.out.println("ready");
        }

        void run() throws IOException {
            while (selector.isOpen()) {
                selector.select(this::serve);
            }
        }

        private void serve(SelectionKey key) {
            try {
                if (key.attachment() instanceof Answering peer) {
                    if (!peer.serve()) {
                        peer.socket.close();
                    }
                } else {
                    SocketChannel accepted = listening.accept();
                    if (accepted != null) {
                        new Answering(accepted, selector);
                    }
                }
            } catch (IOException e) {
                key.cancel();
            }
        }
    }

    private static final class Answering extends Peer {
        Answering(SocketChannel socket, Selector selector) throws IOException {
            super(socket, selector);
        }

        @Override
        int frame(int at) {
            if (in.position() - at < REQUEST_BYTES) {
                return 0;
            }
            int before = REQUEST_BYTES + in.getShort(at + 14) + in.getShort(at + 16);
            int content = in.getInt(at + 18);
            if (in.position() - at < before + content) {
                return 0;
            }
            boolean heartbeat = in.getShort(at + 2) == 0;
            out.put((byte) 1)
                    .put((byte) 0)
                    .putShort((short) (heartbeat ? 0 : 2))
                    .put((byte) 1);
            out.putInt(in.getInt(at + ID_AT)).put((byte) 1).putShort((short) 0);
            out.putShort((short) 0).putShort((short) 0).putInt(content);
            out.put(out.position(), in, at + before, content).position(out.position() + content);
            return before + content;
        }
    }

    private static final class Load {
        private final Selector selector = Selector.open();
        private final List<Calling> peers = new ArrayList<>();
        private final int calls;
        private long inFlight;
        private long answered;
        private long badStatus;
        private long strangers;
        private boolean ending;

        Load(int port, int connections, int calls) throws IOException {
            this.calls = calls;
            InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            for (int i = 0; i < connections; i++) {
                peers.add(new Calling(this, SocketChannel.open(to), selector));
            }
        }

        void run(int seconds) throws IOException {
            long began = System.nanoTime();
            for (Calling peer : peers) {
                peer.begin();
            }
            long end = began + seconds * 1_000_000_000L;
            while (System.nanoTime() < end) {
                selector.select(this::serve, 100);
            }
            ending = true;
            long measured = System.nanoTime();
            while (inFlight > 0 && System.nanoTime() < measured + LAST_ANSWERS_NANOS) {
                selector.select(this::serve, 100);
            }
            System.out.printf(
                    "{\"requests\": %d, \"duration_us\": %d, \"errors\": {\"status\": %d, \"stranger\": %d, \"lost\": %d}}%n",
                    answered, (measured - began) / 1000, badStatus, strangers, inFlight);
        }

        private void serve(SelectionKey key) {
            try {
                if (!((Calling) key.attachment()).serve()) {
                    key.cancel();
                }
            } catch (IOException e) {
                key.cancel();
            }
        }
    }

    private static final class Calling extends Peer {
        private final Load load;
        /** The id of the call that each of its callers waits for. */
        private final int[] waiting;

        Calling(Load load, SocketChannel socket, Selector selector) throws IOException {
            super(socket, selector);
            this.load = load;
            this.waiting = new int[load.calls];
        }

        void begin() throws IOException {
            for (int caller = 0; caller < waiting.length; caller++) {
                waiting[caller] = caller;
                load.inFlight++;
                putRequest(out, caller);
            }
            send();
        }

        @Override
        int frame(int at) {
            if (in.position() - at < RESPONSE_BYTES) {
                return 0;
            }
            int length = RESPONSE_BYTES + in.getShort(at + 12) + in.getShort(at + 14) + in.getInt(at + 16);
            if (in.position() - at < length) {
                return 0;
            }
            int id = in.getInt(at + ID_AT);
            int caller = id % waiting.length;
            if (waiting[caller] != id) {
                load.strangers++;
                return length;
            }
            load.answered++;
            load.inFlight--;
            if (in.getShort(at + STATUS_AT) != 0) {
                load.badStatus++;
            }
            if (!load.ending) {
                // Every id is one more than the last that its caller had, counted in callers; none is negative.
                waiting[caller] = id > Integer.MAX_VALUE - waiting.length ? caller : id + waiting.length;
                load.inFlight++;
                putRequest(out, waiting[caller]);
            }
            return length;
        }
    }
}
