package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.BodyRate;
import net.oooops.sigma.http.HttpServer;
import net.oooops.sigma.http.ServerExchange;

/**
 * The body of the request that is being read: told to its exchange as it comes, read or not, and waited for as long as it may take to go on.
 * Of a body that isn't read nothing is expected.
 *
 * <p>Called on the connection's event loop only.
 */
final class RequestBody {
    private final ServerConnection connection;
    private final HttpServer server;
    private final RequestReader reader;
    private final ServerDeadline deadline;
    private final BodyReading reading;
    private final BodyRate rate = new BodyRate();

    RequestBody(ServerConnection connection, HttpServer server, RequestReader reader, ServerDeadline deadline) {
        this.connection = connection;
        this.server = server;
        this.reader = reader;
        this.deadline = deadline;
        this.reading = new BodyReading(connection.channel(), server.memory().turns());
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

    /** Tells the exchange what came of it, or that it is complete. */
    void read(ServerExchange current, ByteBuf in) {
        rate.onBytes(server.clock().nanos());
        switch (reader.body(in)) {
            case MORE -> keepRate();
            case CONTENT -> {
                rate.add(reader.contentBytes());
                current.onRequestBody(in, reader.contentBytes());
                if (connection.exchange() == current && reader.isEnd()) {
                    connection.endBody(current);
                } else if (connection.exchange() == current) {
                    keepRate();
                }
            }
            case END -> connection.endBody(current);
            case REFUSED -> connection.refuse(current, reader.refusal());
        }
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
