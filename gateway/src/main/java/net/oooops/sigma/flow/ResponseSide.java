package net.oooops.sigma.flow;

import java.nio.ByteBuffer;
import net.oooops.sigma.http1.Http1ResponseHead;
import net.oooops.sigma.http1.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * The response of an exchange, a node's or one of Sigma's own: its head, what waits of its body, and how it goes to the client. Made
 * once with the exchange, and used again.
 */
final class ResponseSide {
    final Http1ResponseHead head = new Http1ResponseHead();
    /** Parts of the body that wait for plugins or for the client. */
    final BodyQueue queue = new BodyQueue();

    private boolean present;
    private boolean complete;
    private boolean collecting;
    private boolean collected;
    private boolean chunked;
    private boolean persist;
    private @Nullable Trailers trailers;
    private byte @Nullable [] ownBody;
    /** What was queued is being written. */
    boolean sendingQueue;
    /** Of the body, to the client. */
    long bytesSent;

    /** Makes it ready for another response. */
    void reset() {
        present = false;
        complete = false;
        collecting = false;
        collected = false;
        chunked = false;
        persist = false;
        trailers = null;
        ownBody = null;
        sendingQueue = false;
        bytesSent = 0;
        head.clear();
    }

    /** There is one. */
    void begin() {
        present = true;
    }

    /** There is one that no node gave. */
    void beginOwn(int status, byte[] body) {
        head.begin(status, body.length);
        ownBody = body;
        present = true;
        complete = true;
        collected = false;
        trailers = null;
    }

    boolean isPresent() {
        return present;
    }

    /** All of it has been received. */
    void complete(@Nullable Trailers with) {
        complete = true;
        trailers = with;
    }

    boolean isComplete() {
        return complete;
    }

    @Nullable Trailers trailers() {
        return trailers;
    }

    /** Its body is to be here before anything else happens. */
    void collect() {
        collecting = true;
    }

    /** The whole body is here: its length is known, whatever framing it came in. */
    void collected() {
        collecting = false;
        collected = true;
    }

    /** The body isn't needed any more. */
    void stopCollecting() {
        collecting = false;
    }

    boolean isCollecting() {
        return collecting;
    }

    boolean isCollected() {
        return collected;
    }

    /**
     * How it goes to the client.
     *
     * @param inChunks whether the body leaves in chunks
     * @param stays whether the connection stays open after it
     */
    void frame(boolean inChunks, boolean stays) {
        chunked = inChunks;
        persist = stays;
    }

    boolean leavesChunked() {
        return chunked;
    }

    boolean isPersistent() {
        return persist;
    }

    /** The body of a response of Sigma's own or of a plugin's; null where a node's goes on. */
    byte @Nullable [] ownBody() {
        return ownBody;
    }

    /** What waits of the body to go on, beside what is collected. */
    long waitingBytes() {
        return collecting || collected ? 0 : queue.heldBytes();
    }

    /** The body as plugins see it: read-only, empty where none was collected. */
    ByteBuffer body() {
        byte[] own = ownBody;
        if (own != null) {
            return ByteBuffer.wrap(own).asReadOnlyBuffer();
        }
        return collected ? queue.gathered() : ByteBuffer.allocate(0).asReadOnlyBuffer();
    }

    /** Whether a copy of {@code body} took the place of the body: there was a whole one. */
    boolean replaceBody(ByteBuffer body) {
        if (ownBody != null) {
            byte[] copy = new byte[body.remaining()];
            body.duplicate().get(copy);
            ownBody = copy;
            return true;
        }
        boolean whole = queue.isGathered();
        if (whole) {
            queue.replace(body);
        }
        return whole;
    }
}
