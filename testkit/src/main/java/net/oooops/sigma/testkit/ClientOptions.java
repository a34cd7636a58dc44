package net.oooops.sigma.testkit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link RawClient} connects.
 *
 * @param host where to; 127.0.0.1 by default
 * @param localHost where from, for instance 127.0.0.5 to be another client than the other ones; any by default
 * @param receiveBufferBytes {@code SO_RCVBUF}, small for a client that reads slowly; 0, the default, leaves it to the system
 * @param deadline for each single operation; 10 s by default
 */
public record ClientOptions(String host, @Nullable String localHost, int receiveBufferBytes, Duration deadline) {
    private static final ClientOptions DEFAULTS = new ClientOptions("127.0.0.1", null, 0, Await.DEADLINE);

    /** To 127.0.0.1, with a deadline of 10 s. */
    public static ClientOptions defaults() {
        return DEFAULTS;
    }

    /** With another address to connect to. */
    public ClientOptions withHost(String other) {
        return new ClientOptions(other, localHost, receiveBufferBytes, deadline);
    }

    /** With an address to connect from. */
    public ClientOptions withLocalHost(String other) {
        return new ClientOptions(host, other, receiveBufferBytes, deadline);
    }

    /** With another {@code SO_RCVBUF}, set before connecting, so that the window is as small from the first byte on. */
    public ClientOptions withReceiveBufferBytes(int other) {
        return new ClientOptions(host, localHost, other, deadline);
    }

    /** With another deadline for each operation. */
    public ClientOptions withDeadline(Duration other) {
        return new ClientOptions(host, localHost, receiveBufferBytes, other);
    }
}
