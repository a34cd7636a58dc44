package net.oooops.sigma.interop;

import java.io.IOException;

/** What ties a program to the one that started it: it ends when its standard input does, so none is left behind. */
final class Lifeline {
    private Lifeline() {}

    /** Says that the program listens, and on which port. */
    static void ready(int port) {
        System.out.println("ready " + port);
    }

    /** Waits for the end of standard input, and exits. */
    static void hold() throws IOException {
        while (System.in.read() >= 0) {
            // What is said there is of no interest.
        }
        System.exit(0);
    }
}
