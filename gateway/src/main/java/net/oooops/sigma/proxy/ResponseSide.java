package net.oooops.sigma.proxy;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * The response of an exchange, a node's or one of Sigma's own: its head, its body, and how it goes to the client. Made
 * once with the exchange, and used again.
 */
final class ResponseSide {
    final HttpResponseHead head = new HttpResponseHead();
    final BodyPump body = new BodyPump(BodyPump.Direction.TO_CLIENT);

    /** What plugins have its body pass, where any does. */
    @Nullable Transforms transforms;

    private boolean present;
    private boolean own;
    private boolean interimPassed;
    private boolean complete;
    private @Nullable Trailers trailers;
    private byte @Nullable [] ownBody;
    /** Where it lies in a file. */
    private @Nullable FileSource file;
    /** What gives it, where a plugin's source does. */
    private @Nullable SourcedBody source;

    /** Makes it ready for another response. */
    void reset() {
        transforms = null;
        present = false;
        own = false;
        interimPassed = false;
        complete = false;
        trailers = null;
        ownBody = null;
        closeBody(null);
        body.reset();
        head.clear();
    }

    /** It is over, and may not be used again for long. */
    void end() {
        trailers = null;
        ownBody = null;
        head.end();
    }

    /** There is one. */
    void begin() {
        present = true;
    }

    /** There is one that no node gave. */
    void beginOwn(int status, byte[] content) {
        beginOwn(status, content.length);
        ownBody = content;
        complete = true;
    }

    /** There is one that no node gave, and whose body lies in a file. */
    void beginOwn(int status, FileBody content) {
        beginOwn(status, content.bytes());
        ownBody = null;
        complete = false;
        file = new FileSource(content);
    }

    /** There is one that no node gave, and whose body a source gives. */
    void beginOwn(int status, SourcedBody content) {
        beginOwn(status, content.bytes());
        ownBody = null;
        complete = false;
        source = content;
    }

    private void beginOwn(int status, long bodyBytes) {
        closeBody(null);
        head.begin(status, bodyBytes);
        present = true;
        own = true;
        body.replaced();
        trailers = null;
    }

    /** The file that its body lies in, or null. */
    @Nullable FileSource file() {
        return file;
    }

    /** Whether a plugin's file or source gives its body. */
    boolean isGiven() {
        return file != null || source != null;
    }

    /** What gives its body, or null. */
    @Nullable SourcedBody source() {
        return source;
    }

    /** What its source says that comes behind the body, or null. */
    @Nullable Trailers ownTrailers() {
        SourcedBody gives = source;
        return gives == null ? null : gives.trailers();
    }

    /**
     * Nothing more of its file, or of its source, is needed.
     *
     * @param fault why the exchange fails; null where it doesn't
     */
    void closeBody(@Nullable Fault fault) {
        FileSource open = file;
        file = null;
        if (open != null) {
            open.close();
        }
        SourcedBody gives = source;
        source = null;
        if (gives != null) {
            gives.close(fault);
        }
    }

    /** One before it (1xx) went to the client. */
    void interimPassed() {
        interimPassed = true;
    }

    boolean isInterimPassed() {
        return interimPassed;
    }

    boolean isPresent() {
        return present;
    }

    /** Whether no node gave it. */
    boolean isOwn() {
        return own;
    }

    /** All of it has been received. */
    void complete(@Nullable Trailers with) {
        complete = true;
        trailers = with;
    }

    /** All of it has been received, but not all has passed what transforms it. */
    void goOn() {
        complete = false;
    }

    boolean isComplete() {
        return complete;
    }

    /** What waits of it, beside what is collected. */
    long waitingBytes() {
        Transforms held = transforms;
        return body.waitingBytes() + (held == null ? 0 : held.input.heldBytes());
    }

    @Nullable Trailers trailers() {
        return trailers;
    }

    /** The body of a response of Sigma's own or of a plugin's; null where a node's goes on. */
    byte @Nullable [] ownBody() {
        return ownBody;
    }

    /** That is what became of its own body. */
    void ownBody(byte[] content) {
        ownBody = content;
    }

    /** The body as plugins see it: read-only, empty where none was collected. */
    ByteBuffer gatheredBody() {
        byte[] own = ownBody;
        if (own != null) {
            return ByteBuffer.wrap(own).asReadOnlyBuffer();
        }
        return body.gathered();
    }

    /** Whether a copy of {@code content} took the place of the body: there was a whole one. */
    boolean replaceBody(ByteBuffer content) {
        if (ownBody != null) {
            byte[] copy = new byte[content.remaining()];
            content.duplicate().get(copy);
            ownBody = copy;
            return true;
        }
        boolean whole = body.queue.isGathered();
        if (whole) {
            body.queue.replace(content);
        }
        return whole;
    }
}
