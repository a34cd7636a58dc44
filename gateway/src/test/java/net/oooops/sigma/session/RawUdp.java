package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Arrays;

/** A plain socket of UDP, as a client or as a node. */
final class RawUdp implements AutoCloseable {
    private static final int LIMIT_MILLIS = 10_000;
    private static final int QUIET_MILLIS = 150;

    /** What was received, and who sent it. */
    static final class Datagram {
        private final byte[] bytes;
        private final InetSocketAddress from;

        Datagram(byte[] bytes, InetSocketAddress from) {
            this.bytes = bytes;
            this.from = from;
        }

        byte[] bytes() {
            return bytes;
        }

        InetSocketAddress from() {
            return from;
        }

        String text() {
            return new String(bytes, US_ASCII);
        }
    }

    private final DatagramSocket socket;

    private RawUdp(InetSocketAddress local) throws IOException {
        socket = new DatagramSocket(local);
        socket.setSoTimeout(LIMIT_MILLIS);
        socket.setReceiveBufferSize(1 << 20);
    }

    /** On a free port of 127.0.0.1. */
    static RawUdp open() throws IOException {
        return at("127.0.0.1", 0);
    }

    static RawUdp at(String address, int port) throws IOException {
        return new RawUdp(new InetSocketAddress(InetAddress.ofLiteral(address), port));
    }

    int port() {
        return socket.getLocalPort();
    }

    RawUdp send(byte[] bytes, InetSocketAddress to) throws IOException {
        socket.send(new DatagramPacket(bytes, bytes.length, to));
        return this;
    }

    RawUdp send(String text, InetSocketAddress to) throws IOException {
        return send(text.getBytes(US_ASCII), to);
    }

    Datagram receive() throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[70_000], 70_000);
        socket.receive(packet);
        return new Datagram(
                Arrays.copyOf(packet.getData(), packet.getLength()), (InetSocketAddress) packet.getSocketAddress());
    }

    /** Receives what is expected. */
    Datagram receive(String what) throws IOException {
        try {
            return receive();
        } catch (SocketTimeoutException e) {
            throw new AssertionError("nothing received (expected: " + what + ")", e);
        }
    }

    /** Receives that, and says from whom. */
    InetSocketAddress expect(String text) throws IOException {
        Datagram received = receive(text);
        assertThat(received.text()).isEqualTo(text);
        return received.from();
    }

    /** The text of what comes within that time, or nothing. */
    String receiveWithin(int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            return receive().text();
        } catch (SocketTimeoutException e) {
            return "";
        } finally {
            socket.setSoTimeout(LIMIT_MILLIS);
        }
    }

    /** Nothing comes for a while. */
    void expectNothing() throws IOException {
        socket.setSoTimeout(QUIET_MILLIS);
        try {
            assertThat(receive().text()).as("nothing").isNull();
        } catch (SocketTimeoutException e) {
            socket.setSoTimeout(LIMIT_MILLIS);
        }
    }

    /** Sends back all that it receives, on a thread of its own, until it is closed. */
    RawUdp echo() {
        Thread.ofVirtual().start(() -> {
            try {
                while (!socket.isClosed()) {
                    socket.setSoTimeout(0);
                    Datagram datagram = receive();
                    send(datagram.bytes(), datagram.from());
                }
            } catch (IOException e) {
                // Closed.
            }
        });
        return this;
    }

    @Override
    public void close() {
        socket.close();
    }
}
