package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.http.BodySink;

/**
 * One direction of a WebSocket (RFC 6455 section 5.2). Of its frames only the heads are followed, to know where one ends and the next begins:
 * there Sigma may say that it is going away (1001, section 7.4.1), also amid a fragmented message. What the sender says after that is thrown
 * away.
 *
 * <pre>
 *   passing ─▶ leave ─▶ (amid a frame: passes it to its end) ─▶ said: nothing passes any more
 * </pre>
 *
 * <p>Called on the Worker's event loop only.
 */
final class WebSocketWay {
    private static final int CLOSE_OPCODE = 0x8;
    private static final int MASK_BIT = 0x80;
    private static final int MASK_BYTES = 4;
    private static final int LENGTH_OF_16_BITS = 126;
    private static final int LENGTH_OF_64_BITS = 127;
    private static final int FIRST_BYTES = 2;

    /** A Close frame, final, without a mask, of two bytes: 1001. */
    private static final byte[] GOING_AWAY = {(byte) 0x88, 0x02, 0x03, (byte) 0xE9};

    private final boolean toNode;

    /** How many bytes of the head of the frame have passed. */
    private int headSeen;

    private int headBytes = FIRST_BYTES;
    private int maskBytes;
    private long length;
    /** How many bytes of the payload are still to pass. */
    private long payloadLeft;
    /** The sender's Close frame has begun. */
    private boolean closing;

    private boolean leaving;
    private boolean said;

    WebSocketWay(boolean toNode) {
        this.toNode = toNode;
    }

    /** Whether the sender has said, in a whole frame, that it closes. */
    boolean isClosed() {
        return closing && isBetween();
    }

    /** Whether the sender has begun to say so. */
    boolean isClosing() {
        return closing;
    }

    /** Whether the receiver was told that Sigma is going away. */
    boolean isSaid() {
        return said;
    }

    private boolean isBetween() {
        return headSeen == 0 && payloadLeft == 0;
    }

    /** Tells the receiver that Sigma is going away: now, or after the frame that is passing. */
    void leave(BodySink to) {
        leaving = true;
        if (isBetween() && !closing) {
            say(to);
        }
    }

    private void say(BodySink to) {
        said = true;
        byte[] frame = toNode ? masked() : GOING_AWAY;
        to.content(Unpooled.wrappedBuffer(frame), frame.length);
        to.flush();
    }

    /** As clients have to send it: masked (RFC 6455 section 5.3). */
    private static byte[] masked() {
        int mask = ThreadLocalRandom.current().nextInt();
        byte[] frame = new byte[GOING_AWAY.length + MASK_BYTES];
        frame[0] = GOING_AWAY[0];
        frame[1] = (byte) (GOING_AWAY[1] | MASK_BIT);
        for (int i = 0; i < MASK_BYTES; i++) {
            frame[FIRST_BYTES + i] = (byte) (mask >>> (8 * i));
        }
        for (int i = 0; i < GOING_AWAY.length - FIRST_BYTES; i++) {
            int at = FIRST_BYTES + MASK_BYTES + i;
            frame[at] = (byte) (GOING_AWAY[FIRST_BYTES + i] ^ frame[FIRST_BYTES + i]);
        }
        return frame;
    }

    /**
     * Passes the next {@code count} bytes of {@code in} on, or moves over them.
     *
     * @return how many went on
     */
    int pass(BodySink to, ByteBuf in, int count) {
        int from = in.readerIndex();
        int passed = said ? 0 : follow(in, from, from + count, leaving) - from;
        if (passed > 0) {
            to.content(in, passed);
        }
        if (leaving && !said && !closing && isBetween()) {
            say(to);
        }
        if (passed < count) {
            // Nobody gets it; but whether its sender closes is to be known.
            follow(in, from + passed, from + count, false);
            in.skipBytes(count - passed);
        }
        return passed;
    }

    /**
     * Follows the frames.
     *
     * @param toFrame whether no further than to the end of the frame that has begun
     * @return where it stopped
     */
    private int follow(ByteBuf in, int from, int end, boolean toFrame) {
        int at = from;
        while (at < end && !(toFrame && !closing && isBetween())) {
            if (payloadLeft > 0) {
                long step = Math.min(payloadLeft, end - at);
                payloadLeft -= step;
                at += (int) step;
            } else {
                head(in.getByte(at) & 0xFF);
                at++;
            }
        }
        return at;
    }

    private void head(int b) {
        if (headSeen == 0) {
            closing |= (b & 0x0F) == CLOSE_OPCODE;
        } else if (headSeen == 1) {
            int first = b & ~MASK_BIT;
            int more = first == LENGTH_OF_16_BITS ? Short.BYTES : first == LENGTH_OF_64_BITS ? Long.BYTES : 0;
            headBytes = FIRST_BYTES + more;
            length = more == 0 ? first : 0;
            maskBytes = (b & MASK_BIT) == 0 ? 0 : MASK_BYTES;
        } else {
            length = length << 8 | b;
        }
        headSeen++;
        if (headSeen == headBytes) {
            // A mask passes as a part of the payload. A length that is none never comes to its end.
            payloadLeft = length < 0 ? Long.MAX_VALUE : Math.min(length, Long.MAX_VALUE - MASK_BYTES) + maskBytes;
            headSeen = 0;
            headBytes = FIRST_BYTES;
        }
    }
}
