package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.BodyRate;
import net.oooops.sigma.http.HttpServer;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http1.ServerDeadline.Wait;

/**
 * The body of the request that is being read: told to its exchange as it comes, read or not, and waited for as long as it may take to go on.
 * Of a body that isn't read nothing is expected.
 *
 * <p>Called on the connection's event loop only.
 */
final class RequestBody {
    private final ServerConnection connection;
    private final HttpServer server;
    private final Channel channel;
    private final RequestReader reader;
    private final ServerDeadline deadline;
    private final BodyRate rate = new BodyRate();
    private boolean paused;

    RequestBody(ServerConnection connection, HttpServer server, RequestReader reader, ServerDeadline deadline) {
        this.connection = connection;
        this.server = server;
        this.channel = connection.channel();
        this.reader = reader;
        this.deadline = deadline;
    }

    /** There is none. */
    void none() {
        paused = false;
    }

    /** A body begins. */
    void begin() {
        paused = false;
        rate.await();
        await();
    }

    boolean isPaused() {
        return paused;
    }

    /** Stops or goes on with reading. */
    void pause(boolean pause) {
        if (paused == pause) {
            return;
        }
        paused = pause;
        channel.config().setAutoRead(!pause);
        rate.pause(pause, server.clock().nanos());
        if (pause) {
            deadline.awaitNoBody();
        } else {
            await();
        }
    }

    /** More of it has to come in time, unless it is awaited that the client takes what it is sent. */
    void await() {
        if (!paused && deadline.waitsFor() != Wait.SEND) {
            deadline.await(Wait.BODY, server.timeouts().bodyIdleNanos());
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
        if (!paused && rate.isTooSlow(server.clock().nanos(), server.timeouts())) {
            connection.failLate(Fault.REQUEST_TIMEOUT);
        } else {
            connection.awaitBody(true);
        }
    }

    /** It is complete. */
    void end() {
        deadline.awaitNoBody();
        if (paused) {
            paused = false;
            channel.config().setAutoRead(true);
        }
    }
}
