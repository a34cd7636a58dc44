package net.oooops.sigma.call;

import java.io.IOException;
import net.oooops.sigma.testkit.RawClient;

/** A node that answers each request with its content, and each heartbeat. */
final class Echo {
    private Echo() {}

    /** Serves a connection on a thread of its own, until it ends. */
    static void serve(RawClient connection) {
        Thread.ofVirtual().start(() -> {
            try (connection) {
                while (true) {
                    BoltMessage request = BoltMessage.read(connection);
                    if (request.type() != 2) {
                        connection.send(request.answer("")
                                .withContent(request.content())
                                .bytes());
                    }
                }
            } catch (IOException | RuntimeException | AssertionError e) {
                // The connection has ended.
            }
        });
    }
}
