package net.oooops.sigma.testkit;

import java.io.IOException;
import java.net.Socket;

/** What makes another socket of one that is connected: an encrypted one, for example. */
@FunctionalInterface
public interface Wrapping {
    /** The connection as it is. */
    Wrapping NONE = connected -> connected;

    /** The socket to speak through. */
    Socket wrap(Socket connected) throws IOException;
}
