package net.oooops.sigma.http2;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import net.oooops.sigma.http2.Http2Client.Frame;

/** Bodies that a client, or a node, sends on several streams of one connection, in turns, as far as the gateway's windows allow. */
final class Uploads {
    private static final int FRAME_BYTES = 16_384;
    private static final int WINDOW_FIRST = 65_535;
    private static final int SETTING_BYTES = 6;

    private final Http2Client client;
    private final byte[] body;
    private final Map<Integer, Upload> uploads = new TreeMap<>();
    private final Set<Integer> answered = new HashSet<>();
    private boolean ignoring;
    private long connectionWindow = WINDOW_FIRST;
    private long streamWindow = WINDOW_FIRST;

    /** One stream's. */
    private static final class Upload {
        private long window = WINDOW_FIRST;
        private int sent;
    }

    /** All of the same body, whose requests have been sent. */
    Uploads(Http2Client client, byte[] body, int... streams) {
        this.client = client;
        this.body = body;
        for (int stream : streams) {
            uploads.put(stream, new Upload());
        }
    }

    /** The streams that were answered, with 200, and ended. */
    Set<Integer> answered() {
        return answered;
    }

    /** The gateway has opened the connection's window by so much already. */
    Uploads opened(int more) {
        connectionWindow += more;
        return this;
    }

    /** From now on the gateway's word that windows are smaller than they were has no effect. */
    Uploads ignoringSmallerWindows() {
        ignoring = true;
        return this;
    }

    /** What was sent on all streams but that one. */
    long sentBytesBeside(int stream) {
        return uploads.entrySet().stream()
                .filter(each -> each.getKey() != stream)
                .mapToLong(each -> each.getValue().sent)
                .sum();
    }

    /** Sends until all was sent on that stream. */
    void sendAll(int stream) throws IOException {
        Upload upload = Objects.requireNonNull(uploads.get(stream), "a stream with a body");
        sendSome();
        while (upload.sent < body.length) {
            read();
            sendSome();
        }
    }

    /** Sends all on each. */
    void sendAll() throws IOException {
        for (int stream : uploads.keySet()) {
            sendAll(stream);
        }
    }

    /** Sends until nothing more may be sent, and nothing has come for that long. */
    void sendUntilStill(int millis) throws IOException {
        int before = client.socket().getSoTimeout();
        client.socket().setSoTimeout(millis);
        try {
            while (true) {
                sendSome();
                read();
            }
        } catch (SocketTimeoutException e) {
            client.socket().setSoTimeout(before);
        }
    }

    /** Sends all, and reads every answer. */
    void finish() throws IOException {
        sendUntilAnswered(uploads.size());
    }

    /** Sends until so many have been answered. */
    void sendUntilAnswered(int count) throws IOException {
        while (answered.size() < count) {
            sendSome();
            read();
        }
    }

    private void sendSome() throws IOException {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (Map.Entry<Integer, Upload> each : uploads.entrySet()) {
                moved |= sendOne(each.getKey(), each.getValue());
            }
        }
    }

    private boolean sendOne(int stream, Upload upload) throws IOException {
        int at = upload.sent;
        long open = Math.min(connectionWindow, upload.window);
        int count = (int) Math.min(Math.min(open, FRAME_BYTES), body.length - at);
        if (count <= 0) {
            return false;
        }
        client.data(stream, at + count == body.length, Arrays.copyOfRange(body, at, at + count));
        upload.sent += count;
        connectionWindow -= count;
        upload.window -= count;
        return true;
    }

    private void read() throws IOException {
        Frame frame = client.next();
        switch (frame.type()) {
            case Http2Client.WINDOW_UPDATE -> {
                Upload upload = uploads.get(frame.stream());
                if (upload == null) {
                    connectionWindow += frame.stream() == 0 ? frame.number(0) : 0;
                } else {
                    upload.window += frame.number(0);
                }
            }
            case Http2Client.SETTINGS -> settings(frame);
            case Http2Client.PING -> {
                if (!frame.has(Http2Client.ACK)) {
                    client.frame(Http2Client.PING, Http2Client.ACK, 0, frame.payload());
                }
            }
            case Http2Client.HEADERS -> {
                String status = client.fields(frame).get(":status");
                if (!"200".equals(status)) {
                    throw new IOException("status " + status + " (expected: 200)");
                }
            }
            case Http2Client.RST_STREAM, Http2Client.GOAWAY -> throw new IOException(frame.toString());
            default -> {}
        }
        if (frame.type() <= Http2Client.HEADERS && frame.has(Http2Client.END_STREAM)) {
            answered.add(frame.stream());
        }
    }

    private void settings(Frame frame) {
        for (int at = 0; at < frame.payload().length; at += SETTING_BYTES) {
            if (frame.payload()[at + 1] == Http2Client.INITIAL_WINDOW_SIZE) {
                long told = frame.number(at + 2) - streamWindow;
                long more = ignoring ? Math.max(0, told) : told;
                streamWindow += more;
                uploads.values().forEach(upload -> upload.window += more);
            }
        }
    }
}
