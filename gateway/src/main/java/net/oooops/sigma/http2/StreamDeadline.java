package net.oooops.sigma.http2;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.time.StallWatch;
import org.jspecify.annotations.Nullable;

/**
 * What the deadline of a client's stream is for, one thing at a time: more of its request, or that the client takes more of the answer. While
 * that is awaited nothing of the request is.
 */
final class StreamDeadline {
    /** Numbers, since what is written with each request should be no reference: docs/adr/0033-collector.md. */
    private static final class Wait {
        static final int NOTHING = 0;
        static final int BODY = 1;
        static final int SEND = 2;

        private Wait() {}
    }

    private final Http2Server server;
    private final Http2Stream stream;
    private final StallWatch sending;

    /** Those that it goes by: the Listener's, or what they were until it is told. */
    private Timeouts timeouts;

    private int wait = Wait.NOTHING;
    /** How long the body may be quiet; 0: for ever. */
    private long bodyNanos;
    /** What goes the other way is a sign of life as well. */
    private boolean eitherWay;

    /** @param stream whose deadline it is */
    StreamDeadline(Http2Server server, Http2Stream stream) {
        this.server = server;
        this.stream = stream;
        this.timeouts = server.timeouts();
        this.sending = new StallWatch(stream.output().channel(), timeouts.sendStallNanos());
    }

    /** Timeouts are others, also of what is awaited: counted from when that began. */
    void follow(Timeouts now) {
        long moreNanos = now.bodyIdleNanos() - timeouts.bodyIdleNanos();
        timeouts = now;
        sending.within(now.sendStallNanos());
        if (wait == Wait.SEND) {
            // It looks, and goes on from there.
            server.wheel().hasten(stream, 0);
        }
        if (bodyNanos > 0 && !eitherWay) {
            bodyNanos += moreNanos;
            if (wait == Wait.BODY) {
                server.wheel().move(stream, moreNanos);
            }
        }
    }

    /** A request begins. */
    void begin() {
        wait = Wait.NOTHING;
        bodyNanos = timeouts.bodyIdleNanos();
        eitherWay = false;
    }

    /** Nothing of the request is awaited any more. */
    void endBody() {
        bodyNanos = 0;
        awaitNoBody();
    }

    /** The body is a stream of messages: it may be quiet as long as that, 0 being for ever, both ways. */
    void expectMessages(long idleNanos) {
        bodyNanos = idleNanos;
        eitherWay = true;
        awaitNoBody();
        awaitBody();
    }

    /** It is no stream of messages after all. */
    void expectBody() {
        bodyNanos = timeouts.bodyIdleNanos();
        eitherWay = false;
        awaitNoBody();
        awaitBody();
    }

    /** More of the body has to come in time, unless nobody reads it now. */
    void awaitBody() {
        if (bodyNanos > 0 && !stream.isInputEnded() && !stream.isPaused() && wait != Wait.SEND) {
            wait = Wait.BODY;
            server.wheel().arm(stream, bodyNanos);
        }
    }

    void awaitNoBody() {
        if (wait == Wait.BODY) {
            awaitNothing();
        }
    }

    void awaitNothing() {
        wait = Wait.NOTHING;
        server.wheel().disarm(stream);
    }

    /** The client has to take something, unless that is awaited already. */
    void awaitSend() {
        if (wait != Wait.SEND) {
            awaitSend(
                    stream.isShutOut()
                            ? 0
                            : sending.begin(taken(), server.clock().nanos()));
        }
    }

    /** No window is opened any more. */
    void onWindowsClosed() {
        if (wait == Wait.SEND) {
            awaitSend(0);
        }
    }

    private void awaitSend(long nanos) {
        wait = Wait.SEND;
        server.wheel().arm(stream, nanos);
    }

    /** What grows as the client takes something: of this stream, where its own window is used up; else of any, which have their turns first. */
    private long taken() {
        return stream.isWindowUsedUp() ? 0 : stream.output().taken();
    }

    /** Something of the answer went. */
    void sent() {
        if (wait == Wait.SEND) {
            awaitNothing();
            awaitBody();
        } else if (wait == Wait.BODY && eitherWay) {
            awaitBody();
        }
    }

    /** The deadline has passed. What the stream fails with for that; null where it goes on. */
    @Nullable Fault passed() {
        int was = wait;
        wait = Wait.NOTHING;
        return switch (was) {
            case Wait.NOTHING -> null;
            case Wait.BODY -> Fault.REQUEST_TIMEOUT;
            case Wait.SEND -> look();
            default -> throw new IllegalStateException("waits for " + was);
        };
    }

    private @Nullable Fault look() {
        if (stream.isOutputSent()) {
            return null;
        }
        if (stream.isShutOut()) {
            return Fault.CLIENT_GONE;
        }
        long nanos = sending.look(taken(), server.clock().nanos());
        if (nanos == 0) {
            return Fault.CLIENT_STALLED;
        }
        awaitSend(nanos);
        return null;
    }

    /** It is over. */
    void remove() {
        wait = Wait.NOTHING;
        server.wheel().remove(stream);
    }
}
