package net.oooops.sigma.names;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A DNS server on the loopback (RFC 1035), over UDP and TCP, that knows a few IPv4 addresses and services, and remembers what it was asked. */
public final class NameServer implements AutoCloseable {
    private static final int TYPE_A = 1;
    private static final int TYPE_AAAA = 28;
    private static final int TYPE_SRV = 33;
    private static final int HEADER_BYTES = 12;
    private static final int NAME_ERROR = 3;

    private record Addresses(int ttlSeconds, List<String> all) {}

    private record Srv(int ttlSeconds, String host, int port) {}

    /** So long an answer over UDP is at most (RFC 1035 section 2.3.4). */
    private static final int DATAGRAM_BYTES_MAX = 512;

    private static final int TCP_BYTES_MAX = 65535;
    /** Of an IPv4 address. */
    private static final int RECORD_BYTES = 16;
    /** TC in the third byte of the header: the rest is to be had over TCP. */
    private static final byte CUT = 0x02;

    private final DatagramSocket socket;
    private final ServerSocket connections;
    private final AtomicInteger overTcp = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private volatile int leftOfCut;
    private final Map<String, Addresses> known = new ConcurrentHashMap<>();
    private final Map<String, Srv> srvs = new ConcurrentHashMap<>();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private volatile boolean silent;
    private volatile boolean silentOfIpv6;
    private volatile int error;

    private NameServer(DatagramSocket socket, ServerSocket connections) {
        this.socket = socket;
        this.connections = connections;
    }

    /** On a free port. */
    public static NameServer start() {
        try {
            NameServer server = bound();
            while (server == null) {
                server = bound();
            }
            Thread.ofVirtual().start(server::serve);
            Thread.ofVirtual().start(server::serveConnections);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Null where the port that is free for connections isn't for datagrams. */
    private static @Nullable NameServer bound() throws IOException {
        ServerSocket connections = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        try {
            DatagramSocket socket = new DatagramSocket(connections.getLocalPort(), InetAddress.getLoopbackAddress());
            return new NameServer(socket, connections);
        } catch (BindException _) {
            connections.close();
            return null;
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    /** From now on that name has these addresses. */
    public void answer(String name, int ttlSeconds, String... addresses) {
        known.put(name, new Addresses(ttlSeconds, List.of(addresses)));
    }

    /** From now on that service has this node (RFC 2782). */
    public void srv(String name, int ttlSeconds, String host, int port) {
        srvs.put(name, new Srv(ttlSeconds, host, port));
    }

    /** Answers over UDP that are too long have so many records, and the others are to be asked for over TCP: none, where nothing is said. */
    public void leaveOfCut(int records) {
        leftOfCut = records;
    }

    /** How often it was asked over TCP. */
    public int questionsOverTcp() {
        return overTcp.get();
    }

    /** Answers nothing any more. */
    public void silence() {
        silent = true;
    }

    /** The next questions over UDP get no answer, as if they were lost on their way. */
    public void lose(int questions) {
        lost.set(questions);
    }

    /** Answers no question for IPv6 addresses: else there are none. */
    public void silenceOfIpv6() {
        silentOfIpv6 = true;
    }

    /** Answers again. */
    public void speak() {
        silent = false;
    }

    /** From now on every answer is that error (RFC 1035 section 4.1.1); 0: none is. */
    public void fail(int rcode) {
        error = rcode;
    }

    /** How often the IPv4 addresses, or the service, of that name were asked for. */
    public int questions(String name) {
        return (int) asked.stream().filter(name::equals).count();
    }

    /** How often it was asked anything. */
    public int questions() {
        return asked.size();
    }

    private void serve() {
        byte[] bytes = new byte[512];
        while (!socket.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
                socket.receive(packet);
                byte[] answer = answer(Arrays.copyOf(bytes, packet.getLength()));
                if (!isLost() && !silent && !(silentOfIpv6 && isOfIpv6(answer))) {
                    byte[] fits = answer.length > DATAGRAM_BYTES_MAX ? cut(answer) : answer;
                    socket.send(new DatagramPacket(fits, fits.length, packet.getSocketAddress()));
                }
            } catch (IOException _) {
                // Closed.
            }
        }
    }

    private boolean isLost() {
        return lost.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    private void serveConnections() {
        while (!connections.isClosed()) {
            try (Socket connection = connections.accept()) {
                serve(connection);
            } catch (IOException _) {
                // Closed.
            }
        }
    }

    private void serve(Socket connection) throws IOException {
        DataInputStream in = new DataInputStream(connection.getInputStream());
        DataOutputStream out = new DataOutputStream(connection.getOutputStream());
        byte[] answer = answer(in.readNBytes(in.readUnsignedShort()));
        overTcp.incrementAndGet();
        if (!silent) {
            out.writeShort(answer.length);
            out.write(answer);
        }
    }

    private static boolean isOfIpv6(byte[] answer) {
        int end = HEADER_BYTES;
        while (answer[end] != 0) {
            end += answer[end] + 1;
        }
        return answer[end + 2] == TYPE_AAAA;
    }

    /** What is left of an answer about IPv4 addresses that is too long. */
    private byte[] cut(byte[] answer) {
        int end = HEADER_BYTES;
        while (answer[end] != 0) {
            end += answer[end] + 1;
        }
        byte[] cut = Arrays.copyOf(answer, end + 5 + leftOfCut * RECORD_BYTES);
        cut[2] |= CUT;
        cut[6] = 0;
        cut[7] = (byte) leftOfCut;
        return cut;
    }

    private byte[] answer(byte[] question) throws IOException {
        int at = HEADER_BYTES;
        List<String> labels = new ArrayList<>();
        while (question[at] != 0) {
            labels.add(new String(question, at + 1, question[at], StandardCharsets.US_ASCII));
            at += question[at] + 1;
        }
        int questionEnd = at + 5;
        int type = question[at + 2];
        boolean ofA = type == TYPE_A;
        String name = String.join(".", labels);
        if (ofA || type == TYPE_SRV) {
            asked.add(name);
        }
        Srv srv = error == 0 && type == TYPE_SRV ? srvs.get(name) : null;
        if (srv != null) {
            return answer(question, questionEnd, srv);
        }
        Addresses found = error == 0 ? known.get(name) : null;
        int absent = error == 0 ? NAME_ERROR : error;
        List<String> addresses = found == null || !ofA ? List.of() : found.all();
        ByteBuffer out = ByteBuffer.allocate(TCP_BYTES_MAX);
        out.put(question, 0, 2);
        // A response, authoritative, with recursion as if it were available.
        out.put((byte) 0x85).put((byte) (0x80 | (found == null ? absent : 0)));
        out.putShort((short) 1).putShort((short) addresses.size()).putInt(0);
        out.put(question, HEADER_BYTES, questionEnd - HEADER_BYTES);
        for (String address : addresses) {
            out.putShort((short) 0xC00C).putShort((short) TYPE_A).putShort((short) 1);
            out.putInt(found == null ? 0 : found.ttlSeconds()).putShort((short) 4);
            out.put(InetAddress.getByName(address).getAddress());
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    private static byte[] answer(byte[] question, int questionEnd, Srv srv) {
        ByteBuffer out = ByteBuffer.allocate(512);
        out.put(question, 0, 2).put((byte) 0x85).put((byte) 0x80);
        out.putShort((short) 1).putShort((short) 1).putInt(0);
        out.put(question, HEADER_BYTES, questionEnd - HEADER_BYTES);
        ByteBuffer target = ByteBuffer.allocate(256);
        for (String label : srv.host().split("\\.", -1)) {
            target.put((byte) label.length()).put(label.getBytes(StandardCharsets.US_ASCII));
        }
        target.put((byte) 0).flip();
        out.putShort((short) 0xC00C).putShort((short) TYPE_SRV).putShort((short) 1);
        out.putInt(srv.ttlSeconds()).putShort((short) (6 + target.remaining()));
        out.putShort((short) 0).putShort((short) 0).putShort((short) srv.port()).put(target);
        return Arrays.copyOf(out.array(), out.position());
    }

    @Override
    public void close() {
        socket.close();
        try {
            connections.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
