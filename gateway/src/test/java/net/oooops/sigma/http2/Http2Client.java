package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.RawServer;
import org.jspecify.annotations.Nullable;

/** A client that speaks HTTP/2 frame by frame, with Netty's header compression, and does nothing by itself but say that it knows settings. */
final class Http2Client implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int PRIORITY_UPDATE = 16;

    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;
    static final int PADDED = 8;

    static final int INITIAL_WINDOW_SIZE = 4;

    private static final int HEADER_BYTES = 9;
    private static final int LITERAL_BYTES_MAX = 126;

    private static final int DEADLINE_MILLIS = 10_000;
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, 1 << 20);

    /** A frame as it came. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Frame(int type, int flags, int stream, byte[] payload) {
        boolean has(int flag) {
            return (flags & flag) != 0;
        }

        int number(int at) {
            return Unpooled.wrappedBuffer(payload).getInt(at);
        }

        @Override
        public String toString() {
            return "type " + type + " flags " + flags + " stream " + stream + " " + payload.length + " bytes";
        }
    }

    /** What came on one stream until its end. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Response(
            List<Map<String, String>> interim,
            Map<String, String> head,
            byte[] body,
            @Nullable Map<String, String> trailers,
            int reset) {
        int status() {
            return Integer.parseInt(head.getOrDefault(":status", "0"));
        }

        String text() {
            return new String(body, ISO_8859_1);
        }
    }

    private Http2Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(DEADLINE_MILLIS);
        socket.setTcpNoDelay(true);
        this.out = socket.getOutputStream();
        this.in = new DataInputStream(socket.getInputStream());
    }

    /** Connects, with the preface and settings: each key with its value behind it. */
    static Http2Client connect(GatewayFixture gateway, int... settings) throws IOException {
        Http2Client client = unspoken(gateway);
        client.raw(PREFACE.getBytes(ISO_8859_1));
        client.settings(settings);
        return client;
    }

    /** The same on a connection that is open. */
    static Http2Client over(Socket connected, int... settings) throws IOException {
        Http2Client client = new Http2Client(connected);
        client.raw(PREFACE.getBytes(ISO_8859_1));
        return client.settings(settings);
    }

    /** Connects, and says nothing yet. */
    static Http2Client unspoken(GatewayFixture gateway) throws IOException {
        Socket socket = new Socket();
        socket.connect(addressOf(gateway));
        return new Http2Client(socket);
    }

    /** The other end of a connection that a gateway opens: this is its node, with these settings. */
    static Http2Client node(RawServer listening, int... settings) throws IOException {
        return unsettledNode(listening).settings(settings);
    }

    /** The same, which has said nothing yet. */
    static Http2Client unsettledNode(RawServer listening) throws IOException {
        return unsettledNode(listening.accept().socket());
    }

    /** The same, of a connection that somebody else has accepted. */
    static Http2Client unsettledNode(Socket accepted) throws IOException {
        Http2Client node = new Http2Client(accepted);
        node.in.readFully(new byte[PREFACE.length()]);
        return node;
    }

    private static InetSocketAddress addressOf(GatewayFixture gateway) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), gateway.port());
    }

    /** As {@link #connect}, with sockets that take little: so many bytes each way. */
    static Http2Client connectNarrow(GatewayFixture gateway, int bufferBytes, int... settings) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(bufferBytes);
        socket.setSendBufferSize(bufferBytes);
        socket.connect(addressOf(gateway));
        Http2Client client = new Http2Client(socket);
        client.raw(PREFACE.getBytes(ISO_8859_1));
        return client.settings(settings);
    }

    static byte[] preface() {
        return PREFACE.getBytes(ISO_8859_1);
    }

    Http2Client raw(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    Http2Client frame(int type, int flags, int stream, byte[] payload) throws IOException {
        return raw(bytesOf(type, flags, stream, payload));
    }

    static byte[] bytesOf(int type, int flags, int stream, byte[] payload) {
        ByteBuf frame = Unpooled.buffer();
        frame.writeMedium(payload.length)
                .writeByte(type)
                .writeByte(flags)
                .writeInt(stream)
                .writeBytes(payload);
        return ByteBufUtil.getBytes(frame);
    }

    Http2Client settings(int... keysAndValues) throws IOException {
        ByteBuf payload = Unpooled.buffer();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            payload.writeShort(keysAndValues[i]).writeInt(keysAndValues[i + 1]);
        }
        return frame(SETTINGS, 0, 0, ByteBufUtil.getBytes(payload));
    }

    /** A header block: each name with its value behind it. */
    byte[] block(String... namesAndValues) {
        Http2Headers headers = new DefaultHttp2Headers(false);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        ByteBuf block = Unpooled.buffer();
        try {
            encoder.encodeHeaders(3, headers, block);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
        return ByteBufUtil.getBytes(block);
    }

    /** A header block without any compression: fields in their order, whatever they are. */
    static byte[] literals(String... namesAndValues) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            block.write(0);
            literal(block, namesAndValues[i]);
            literal(block, namesAndValues[i + 1]);
        }
        return block.toByteArray();
    }

    private static void literal(ByteArrayOutputStream block, String text) {
        byte[] bytes = text.getBytes(ISO_8859_1);
        if (bytes.length > LITERAL_BYTES_MAX) {
            throw new IllegalArgumentException(bytes.length + " (expected: at most " + LITERAL_BYTES_MAX + " bytes)");
        }
        block.write(bytes.length);
        block.writeBytes(bytes);
    }

    Http2Client headers(int stream, boolean ends, String... namesAndValues) throws IOException {
        return frame(HEADERS, END_HEADERS | (ends ? END_STREAM : 0), stream, block(namesAndValues));
    }

    /** A request without a body. */
    Http2Client get(int stream, String path, String... more) throws IOException {
        return request(stream, true, "GET", path, more);
    }

    Http2Client request(int stream, boolean ends, String method, String path, String... more) throws IOException {
        List<String> fields = new ArrayList<>(
                List.of(":method", method, ":scheme", "http", ":path", path, ":authority", "a.example"));
        fields.addAll(List.of(more));
        return headers(stream, ends, fields.toArray(String[]::new));
    }

    Http2Client data(int stream, boolean ends, byte[] content) throws IOException {
        return frame(DATA, ends ? END_STREAM : 0, stream, content);
    }

    Http2Client data(int stream, boolean ends, String content) throws IOException {
        return data(stream, ends, content.getBytes(ISO_8859_1));
    }

    Http2Client reset(int stream, int code) throws IOException {
        return frame(RST_STREAM, 0, stream, Unpooled.copyInt(code).array());
    }

    Http2Client window(int stream, int more) throws IOException {
        return frame(WINDOW_UPDATE, 0, stream, Unpooled.copyInt(more).array());
    }

    Http2Client ping(long content, boolean ack) throws IOException {
        return frame(PING, ack ? ACK : 0, 0, Unpooled.copyLong(content).array());
    }

    /** The next frame; null at the end of the connection. */
    @Nullable Frame read() throws IOException {
        byte[] header = new byte[HEADER_BYTES];
        try {
            in.readFully(header);
            ByteBuf parsed = Unpooled.wrappedBuffer(header);
            byte[] payload = new byte[parsed.getUnsignedMedium(0)];
            in.readFully(payload);
            Frame frame = new Frame(header[3] & 0xFF, header[4] & 0xFF, parsed.getInt(5), payload);
            if (frame.type() == SETTINGS && !frame.has(ACK)) {
                frame(SETTINGS, ACK, 0, new byte[0]);
            }
            return frame;
        } catch (EOFException | SocketException e) {
            return null;
        }
    }

    /** The next frame; fails at the end of the connection. */
    Frame next() throws IOException {
        Frame frame = read();
        if (frame == null) {
            throw new EOFException("the connection ended");
        }
        return frame;
    }

    /** The next frame of that type, others left out. */
    Frame await(int type) throws IOException {
        for (Frame frame = read(); frame != null; frame = read()) {
            if (frame.type() == type) {
                return frame;
            }
        }
        throw new EOFException("no frame of type " + type);
    }

    /** Waits for the gateway's settings, and acknowledges them: nothing is sent by itself any more. */
    Http2Client settled() throws IOException {
        await(SETTINGS);
        return this;
    }

    /** The fields of a header block that came. All have to be asked for, in their order. */
    Map<String, String> fields(Frame headers) {
        try {
            Map<String, String> fields = new LinkedHashMap<>();
            for (Map.Entry<CharSequence, CharSequence> field :
                    decoder.decodeHeaders(3, Unpooled.wrappedBuffer(headers.payload()))) {
                fields.merge(
                        field.getKey().toString(), field.getValue().toString(), (one, other) -> one + "\n" + other);
            }
            return fields;
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** All that comes on that stream until its end; what comes on others is lost. Windows are opened as it is read. */
    Response response(int stream) throws IOException {
        List<Map<String, String>> interim = new ArrayList<>();
        Map<String, String> head = Map.of();
        Map<String, String> trailers = null;
        ByteBuf body = Unpooled.buffer();
        for (Frame frame = read(); frame != null; frame = read()) {
            if (frame.type() == HEADERS) {
                Map<String, String> fields = fields(frame);
                if (frame.stream() != stream) {
                    continue;
                }
                if (fields.getOrDefault(":status", "").startsWith("1")) {
                    interim.add(fields);
                } else if (head.isEmpty()) {
                    head = fields;
                } else {
                    trailers = fields;
                }
            } else if (frame.type() == DATA && frame.payload().length > 0) {
                body.writeBytes(frame.stream() == stream ? frame.payload() : new byte[0]);
                window(0, frame.payload().length);
                if (!frame.has(END_STREAM)) {
                    window(frame.stream(), frame.payload().length);
                }
            }
            boolean reset = frame.type() == RST_STREAM && frame.stream() == stream;
            if (reset || (frame.stream() == stream && frame.type() <= HEADERS && frame.has(END_STREAM))) {
                return new Response(interim, head, ByteBufUtil.getBytes(body), trailers, reset ? frame.number(0) : -1);
            }
        }
        throw new EOFException("no end of stream " + stream);
    }

    /** The code of the GOAWAY or the RST_STREAM that comes next; fails where the connection ends without. */
    int error() throws IOException {
        for (Frame frame = read(); frame != null; frame = read()) {
            if (frame.type() == GOAWAY) {
                return frame.number(4);
            }
            if (frame.type() == RST_STREAM) {
                return frame.number(0);
            }
            if (frame.type() == HEADERS) {
                fields(frame);
            }
        }
        throw new EOFException("no error");
    }

    /** Reads until the connection ends. */
    void awaitEnd() throws IOException {
        Frame frame = read();
        while (frame != null) {
            frame = read();
        }
    }

    Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
