package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import net.oooops.sigma.api.FileBody;
import net.oooops.sigma.api.FilePart;
import net.oooops.sigma.http.KeptFile;

/** A body that lies in a file, as far as it has been read. Whoever has it closes it. Called on the exchange's event loop. */
final class FileSource implements KeptFile {
    private final FileBody body;
    /** Whether it waits for a turn of the event loop. */
    boolean awaitsTurn;

    private int index;
    /** What of the part at {@code index} has gone on: what is before it, and bytes of the file. */
    private long done;

    private long left;
    /** Whether it is being sent: who is told meanwhile that more is taken has nothing to do. */
    private boolean sending;

    private boolean ended;
    /** How many parts the kernel has under way. */
    private int partsUnderWay;

    private boolean closed;

    FileSource(FileBody body) {
        this.body = body;
        this.left = body.bytes();
    }

    @Override
    public FileChannel channel() {
        return body.file();
    }

    @Override
    public void partSent() {
        partsUnderWay++;
    }

    @Override
    public void partLeft() {
        partsUnderWay--;
        closeWhereDone();
    }

    /** How much hasn't gone on. */
    long left() {
        return left;
    }

    boolean isSending() {
        return sending;
    }

    void sending(boolean whether) {
        sending = whether;
    }

    /** All of it has gone on, and that is told. */
    void end() {
        ended = true;
    }

    boolean isEnded() {
        return ended;
    }

    /** What is next in it is the file's from here on; only where {@link #fileBytes} says so. */
    long position() {
        FilePart part = body.parts().get(index);
        return part.position() + done - part.before().length();
    }

    /** How many bytes of the file are next; 0 where something else is, or nothing. */
    long fileBytes() {
        skipEnded();
        if (index == body.parts().size()) {
            return 0;
        }
        FilePart part = body.parts().get(index);
        return done < part.before().length() ? 0 : part.before().length() + part.bytes() - done;
    }

    /** So many of these have gone on. */
    void moved(long bytes) {
        done += bytes;
        left -= bytes;
    }

    private void skipEnded() {
        while (index < body.parts().size() && done == whole(body.parts().get(index))) {
            index++;
            done = 0;
        }
    }

    private static long whole(FilePart part) {
        return part.before().length() + part.bytes();
    }

    /**
     * The file still has so many bytes.
     *
     * @throws EOFException where it hasn't
     */
    void require(long bytes) throws IOException {
        if (channel().size() < position() + bytes) {
            throw shorter();
        }
    }

    /**
     * Reads the next {@code count} bytes, of which so many are left, into {@code to}, which has room for them.
     *
     * @throws EOFException where the file has become shorter
     */
    void read(ByteBuf to, int count) throws IOException {
        int wanted = count;
        while (wanted > 0) {
            long ofFile = fileBytes();
            int read = ofFile == 0
                    ? readBefore(to, wanted)
                    : to.writeBytes(channel(), position(), (int) Math.min(ofFile, wanted));
            if (read <= 0) {
                throw shorter();
            }
            moved(read);
            wanted -= read;
        }
    }

    private int readBefore(ByteBuf to, int most) {
        FilePart part = body.parts().get(index);
        int count = Math.min(most, part.before().length() - (int) done);
        for (int i = 0; i < count; i++) {
            to.writeByte(part.before().byteAt((int) done + i));
        }
        return count;
    }

    private static EOFException shorter() {
        return new EOFException("the file is shorter than it was");
    }

    /** Nothing more is read. What the kernel has under way keeps the file. */
    void close() {
        closed = true;
        closeWhereDone();
    }

    private void closeWhereDone() {
        if (closed && partsUnderWay == 0) {
            body.close();
        }
    }
}
