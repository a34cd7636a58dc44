package net.oooops.sigma.health;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.function.Supplier;
import net.oooops.sigma.config.ActiveCheckConfig.Tcp;
import org.jspecify.annotations.Nullable;

/** Connects, sends some bytes, and has what comes judged. */
final class TcpProbe implements Probe {
    /** Judges what a node sends, of one connection. */
    interface Judge {
        /** Takes what came next, and tells the attempt where it is decided by that. */
        void take(Buffer piece, Attempt attempt);
    }

    private final NetClient client;
    private final @Nullable Secure secure;
    private final byte[] sent;
    private final @Nullable Supplier<Judge> judges;

    /**
     * @param secure how it is spoken to over TLS, or null where it is spoken to in the clear
     * @param sent first; nothing where it is empty
     * @param judges makes one for each connection; null where connecting is enough
     */
    TcpProbe(NetClient client, @Nullable Secure secure, byte[] sent, @Nullable Supplier<Judge> judges) {
        this.client = client;
        this.secure = secure;
        this.sent = sent;
        this.judges = judges;
    }

    /** The one that sigma.json describes. */
    static TcpProbe of(NetClient client, Tcp question, @Nullable Secure secure) {
        byte[] sent = HexFormat.of().parseHex(question.sendHex());
        byte[] expected = HexFormat.of().parseHex(question.expectHex());
        return new TcpProbe(client, secure, sent, expected.length == 0 ? null : () -> new Expected(expected));
    }

    @Override
    public void ask(InetSocketAddress node, Attempt attempt) {
        ConnectOptions to = new ConnectOptions()
                .setRemoteAddress(SocketAddress.inetSocketAddress(
                        node.getPort(), node.getAddress().getHostAddress()))
                .setTimeout(attempt.connectMillis());
        if (secure != null) {
            to.setSsl(true).setSslOptions(secure.options()).setHost(secure.name());
        }
        client.connect(to).onComplete(connected -> {
            if (connected.failed()) {
                attempt.fail(Why.of(connected.cause()));
            } else {
                talk(connected.result(), attempt);
            }
        });
    }

    private void talk(NetSocket socket, Attempt attempt) {
        socket.exceptionHandler(thrown -> attempt.fail(Why.of(thrown)));
        attempt.connected(socket::close);
        if (attempt.isOver()) {
            return;
        }
        Judge judge = judges == null ? null : judges.get();
        if (judge != null) {
            socket.handler(piece -> {
                if (!attempt.isOver()) {
                    judge.take(piece, attempt);
                }
            });
            socket.endHandler(end -> attempt.fail("closed before what is expected came"));
        }
        if (sent.length == 0) {
            written(attempt, judge);
            return;
        }
        socket.write(Buffer.buffer(sent)).onComplete(done -> {
            if (done.failed()) {
                attempt.fail(Why.of(done.cause()));
            } else {
                written(attempt, judge);
            }
        });
    }

    private static void written(Attempt attempt, @Nullable Judge judge) {
        if (judge == null) {
            attempt.pass();
        }
    }

    /** Waits for certain bytes. */
    private static final class Expected implements Judge {
        private final Search search;

        Expected(byte[] expected) {
            this.search = new Search(expected);
        }

        @Override
        public void take(Buffer piece, Attempt attempt) {
            if (search.take(piece)) {
                attempt.pass();
            } else if (search.isFull()) {
                attempt.fail("what is expected isn't in the first " + BYTES_MAX + " bytes");
            }
        }
    }
}
