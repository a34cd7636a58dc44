package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.BodyRate;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpServer;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.http1.Leftover.Patience;

/**
 * The body of the request that is being read: told to its exchange as it comes, read or not, and waited for as long as it may take to go on.
 * Of a body that isn't read nothing is expected.
 *
 * <p>Called on the connection's event loop only.
 */
final class RequestBody {
    /** So much may be missing of the body of a request that is answered: for more of it the connection isn't kept. */
    private static final int REST_BYTES_MAX = 64 << 10;

    private final ServerConnection connection;
    private final HttpServer server;
    private final RequestReader reader;
    private final ServerDeadline deadline;
    private final BodyReading reading;
    private final BodyRate rate = new BodyRate();
    private final Leftover leftover;
    private long takenBytes;

    RequestBody(ServerConnection connection, HttpServer server, RequestReader reader, ServerDeadline deadline) {
        this.connection = connection;
        this.server = server;
        this.reader = reader;
        this.deadline = deadline;
        this.reading = new BodyReading(connection.channel(), server.memory().turns());
        this.leftover = new Leftover(server, deadline, rate);
    }

    /** There is none. */
    void none() {
        reading.begins();
    }

    /** A body begins. */
    void begin() {
        reading.begins();
        rate.await();
        await();
    }

    boolean isPaused() {
        return reading.isPaused();
    }

    /** So many bytes came on the connection. */
    void came(int bytes) {
        reading.came(bytes);
    }

    /**
     * All that was read at once has been told.
     *
     * @param goesOn whether more of a body is to come
     */
    void turnEnds(boolean goesOn) {
        reading.turnEnds(goesOn);
    }

    /** Stops or goes on with reading. */
    void pause(boolean pause) {
        if (reading.isPaused() == pause) {
            return;
        }
        reading.pause(pause);
        rate.pause(pause, server.clock().nanos());
        if (pause) {
            deadline.awaitNoBody();
        } else {
            await();
        }
    }

    /** More of it has to come in time, unless it is awaited that the client takes what it is sent. */
    void await() {
        if (!reading.isPaused()) {
            deadline.awaitBody();
        }
    }

    /** A figure that grows with each byte of bodies, read or thrown away. */
    long takenBytes() {
        return takenBytes;
    }

    /** Tells the exchange what came of it, or that it is complete. */
    void read(ServerExchange current, ByteBuf in) {
        rate.onBytes(server.clock().nanos());
        switch (reader.body(in)) {
            case MORE -> {
                if (holdsTrailers(current)) {
                    keepRate();
                }
            }
            case CONTENT -> {
                rate.add(reader.contentBytes());
                takenBytes += reader.contentBytes();
                current.onRequestBody(in, reader.contentBytes());
                if (connection.exchange() == current && reader.isEnd()) {
                    connection.endBody(current);
                } else if (connection.exchange() == current) {
                    keepRate();
                }
            }
            case END -> {
                if (holdsTrailers(current)) {
                    connection.endBody(current);
                }
            }
            case REFUSED -> connection.refuse(current, reader.refusal());
        }
    }

    /** Whether there is room for what has come of its trailers; where there isn't, its exchange has heard of it. */
    private boolean holdsTrailers(ServerExchange current) {
        Trailers section = reader.trailers();
        boolean may = section == null || server.mayHoldTrailers(current, section);
        if (!may) {
            connection.failLate(Fault.OVERLOADED);
        }
        return may;
    }

    // After the answer

    /** What may still come. */
    Leftover leftover() {
        return leftover;
    }

    /**
     * Whether little of it is missing, so that the connection may go on behind it. Of a client that waits to be asked for it, and may do without,
     * nobody knows whether it comes.
     */
    boolean isNearlyHere(HttpRequestHead head) {
        long missing = reader.missingBytes();
        return missing <= REST_BYTES_MAX && !(head.expectsContinue() && missing == head.contentLength());
    }

    /** Nobody wants the rest of it, which comes all the same. */
    void leave() {
        pause(false);
        leave(Patience.BODY);
    }

    /** From now on that may come. */
    void leave(Patience patience) {
        leftover.begin(patience);
        if (leftover.isOfBody()) {
            server.onBodyLeft();
        }
    }

    /** It is larger than may be: measured from now on, whatever came of it. */
    void leaveUnread() {
        rate.await();
        leave(Patience.BODY);
    }

    /** Waits for the rest of it, which has its time from now on. */
    void limitRest() {
        leftover.limit();
        awaitRest();
    }

    /** Waits for the rest of it. */
    void awaitRest() {
        deadline.awaitRest(leftover.waitNanos());
    }

    /** Throws away what came of it. */
    void discard(ByteBuf in) {
        int before = in.readableBytes();
        if (reader.body(in) == BodyDecoder.Part.CONTENT) {
            in.skipBytes(reader.contentBytes());
        }
        if (reader.isEnd()) {
            connection.endRest();
        } else if (mayGoOn(before - in.readableBytes())) {
            awaitRest();
        } else {
            connection.giveUpRest();
        }
    }

    /** The connection ends, and that came: whether more may. */
    boolean discardLast(ByteBuf in) {
        int bytes = in.readableBytes();
        in.skipBytes(bytes);
        boolean may = mayGoOn(bytes);
        if (may) {
            deadline.awaitCloseLonger(leftover.waitNanos());
        }
        return may;
    }

    private boolean mayGoOn(int bytes) {
        takenBytes += bytes;
        return leftover.came(bytes);
    }

    private void keepRate() {
        if (!reading.isPaused() && rate.isTooSlow(server.clock().nanos(), server.timeouts())) {
            connection.failLate(Fault.REQUEST_TIMEOUT);
        } else {
            connection.awaitBody(true);
        }
    }

    /** It is complete. */
    void end() {
        deadline.awaitNoBody();
        if (reading.isPaused()) {
            reading.pause(false);
        }
    }
}
