package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.util.Map;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.testkit.RawServer;

/** A node that speaks HTTP/2 and takes other protocols on its streams (RFC 8441): one connection that a gateway has opened. */
record TunnelNode(Http2Client frames) implements AutoCloseable {
    private static final int ENABLE_CONNECT_PROTOCOL = 8;

    /** The next connection. */
    static TunnelNode accept(RawServer listening) throws IOException {
        return new TunnelNode(Http2Client.node(listening, ENABLE_CONNECT_PROTOCOL, 1));
    }

    /** One whose node has said nothing yet. */
    static TunnelNode acceptUnsettled(RawServer listening) throws IOException {
        return new TunnelNode(Http2Client.unsettledNode(listening));
    }

    /** What the node announces. */
    TunnelNode announce(boolean takesTunnels) throws IOException {
        frames.settings(ENABLE_CONNECT_PROTOCOL, takesTunnels ? 1 : 0);
        return this;
    }

    /** The head of the request that comes next, which doesn't end its stream. */
    Map<String, String> awaitAsked() throws IOException {
        Frame head = frames.await(Http2Client.HEADERS);
        if (head.has(Http2Client.END_STREAM)) {
            throw new AssertionError(head + " (expected: without END_STREAM)");
        }
        return frames.fields(head);
    }

    /** Takes the protocol. */
    TunnelNode agree(int stream, String... fields) throws IOException {
        String[] all = new String[fields.length + 2];
        all[0] = ":status";
        all[1] = "200";
        System.arraycopy(fields, 0, all, 2, fields.length);
        frames.headers(stream, false, all);
        return this;
    }

    TunnelNode send(int stream, String text) throws IOException {
        frames.data(stream, false, text);
        return this;
    }

    /** That text comes next on the stream, in however many frames. */
    void read(int stream, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.length() < text.length()) {
            Frame data = frames.await(Http2Client.DATA);
            if (data.stream() != stream) {
                throw new AssertionError(data + " (expected: on stream " + stream + ")");
            }
            read.append(new String(data.payload(), ISO_8859_1));
        }
        if (!read.toString().equals(text)) {
            throw new AssertionError(read + " (expected: " + text + ")");
        }
    }

    /** Opens windows until the stream ends; how many bytes came on it. */
    int readToEnd(int stream) throws IOException {
        int bytes = 0;
        for (Frame frame = frames.read(); frame != null; frame = frames.read()) {
            if (frame.type() == Http2Client.DATA && frame.stream() == stream) {
                bytes += frame.payload().length;
                if (frame.has(Http2Client.END_STREAM)) {
                    return bytes;
                }
                frames.window(0, Math.max(1, frame.payload().length));
                frames.window(stream, Math.max(1, frame.payload().length));
            }
        }
        throw new EOFException("no end of stream " + stream);
    }

    /** The code that the stream is reset with. */
    int awaitReset(int stream) throws IOException {
        Frame reset = frames.await(Http2Client.RST_STREAM);
        if (reset.stream() != stream) {
            throw new AssertionError(reset + " (expected: on stream " + stream + ")");
        }
        return reset.number(0);
    }

    @Override
    public void close() throws IOException {
        frames.close();
    }
}
