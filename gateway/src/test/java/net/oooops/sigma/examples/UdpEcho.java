package net.oooops.sigma.examples;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A node of UDP that answers with its port in the file, and what it was sent. */
final class UdpEcho implements AutoCloseable {
    private static final int BYTES_MAX = 2000;

    private final DatagramSocket socket;

    UdpEcho(int portInFile) {
        try {
            socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(() -> {
            try {
                while (!socket.isClosed()) {
                    DatagramPacket packet = receive(socket);
                    byte[] answer = (portInFile + " " + text(packet)).getBytes(US_ASCII);
                    socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            } catch (IOException e) {
                // Closed.
            }
        });
    }

    private static DatagramPacket receive(DatagramSocket socket) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[BYTES_MAX], BYTES_MAX);
        socket.receive(packet);
        return packet;
    }

    private static String text(DatagramPacket packet) {
        return new String(packet.getData(), 0, packet.getLength(), US_ASCII);
    }

    /** Sends this, as a client of its own, and gives the answer. */
    static String ask(int port, String question) throws IOException {
        try (DatagramSocket client = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            client.setSoTimeout(10_000);
            byte[] bytes = question.getBytes(US_ASCII);
            client.send(new DatagramPacket(
                    bytes, bytes.length, new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
            return text(receive(client));
        }
    }

    int port() {
        return socket.getLocalPort();
    }

    @Override
    public void close() {
        socket.close();
    }
}
