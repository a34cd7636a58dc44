package net.oooops.sigma.http2;

import java.io.IOException;
import java.util.Arrays;
import net.oooops.sigma.http2.Http2Client.Frame;

/** Sends a body in frames as large as may be, as far as the gateway's windows allow. */
final class FlowControlledUpload {
    private static final int FRAME_BYTES = 16_384;

    private final Http2Client client;
    private final int stream;
    private final byte[] body;
    private long connectionWindow = 65_535;
    private long streamWindow = 65_535;
    private int windowBefore = 65_535;

    FlowControlledUpload(Http2Client client, int stream, byte[] body) {
        this.client = client;
        this.stream = stream;
        this.body = body;
    }

    /** Sends all of it. */
    void run() throws IOException {
        int sent = 0;
        while (sent < body.length) {
            long open = Math.min(connectionWindow, streamWindow);
            if (open <= 0) {
                read();
                continue;
            }
            int count = (int) Math.min(Math.min(open, FRAME_BYTES), body.length - sent);
            client.data(stream, sent + count == body.length, Arrays.copyOfRange(body, sent, sent + count));
            sent += count;
            connectionWindow -= count;
            streamWindow -= count;
        }
    }

    private void read() throws IOException {
        Frame frame = client.next();
        switch (frame.type()) {
            case Http2Client.WINDOW_UPDATE -> {
                if (frame.stream() == 0) {
                    connectionWindow += frame.number(0);
                } else if (frame.stream() == stream) {
                    streamWindow += frame.number(0);
                }
            }
            case Http2Client.SETTINGS -> {
                for (int at = 0; at + 6 <= frame.payload().length; at += 6) {
                    if (frame.payload()[at + 1] == Http2Client.INITIAL_WINDOW_SIZE) {
                        streamWindow += frame.number(at + 2) - windowBefore;
                        windowBefore = frame.number(at + 2);
                    }
                }
            }
            case Http2Client.PING -> {
                if (!frame.has(Http2Client.ACK)) {
                    client.frame(Http2Client.PING, Http2Client.ACK, 0, frame.payload());
                }
            }
            default -> {}
        }
    }
}
