package net.oooops.sigma.http;

import java.nio.channels.FileChannel;

/** A file that parts are sent of by the kernel: it stays open as long as one is under way. Called on the connection's event loop. */
public interface KeptFile {
    /** The file, open for reading. */
    FileChannel channel();

    /** A part of it is under way, and may be read until {@link #partLeft}. */
    void partSent();

    /** A part has left, or never will. */
    void partLeft();
}
