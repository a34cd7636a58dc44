package net.oooops.sigma.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;

/** Ends sockets whose fate no longer matters to anyone. */
final class Quietly {
    private Quietly() {}

    static void close(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException e) {
            // Being closed is all that was wanted.
        }
    }

    /** Closes with a RST instead of a FIN. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // Already closed, so there is nothing left to reset.
        }
        close(socket);
    }
}
