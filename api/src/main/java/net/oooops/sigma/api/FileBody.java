package net.oooops.sigma.api;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The body of a {@link Response} that lies in a file: all of it, or parts. The plugin opens the file, on a thread that may wait, and closes it
 * where it doesn't answer with it after all. Once the response was returned in an {@link Outcome} the file is the gateway's, which closes it
 * however the exchange ends: also where the outcome comes too late, or another response takes the place of this one. So a body serves one
 * exchange. A file that several exchanges are answered with at once has a body for each of them ({@link #ofShared}): it is given back then, and
 * stays open.
 *
 * <p>The gateway sends as many bytes as were said when this was made. Of a file that has grown meanwhile it sends no more; where it has shrunk,
 * the answer is cut short, so that nobody takes it for complete. Its bytes are read at their positions: nobody else's position in the channel
 * matters.
 *
 * <p>It is read on the exchange's event loop, at most 64 KiB at a time and as its client takes it, or sent by the kernel without being read.
 * That is as quick as memory where the system has the file there, and waits for the disk where it hasn't. So this is for files of local disks,
 * or of what is as quick.
 *
 * <p>Safe for use from any thread.
 */
public final class FileBody implements AutoCloseable {
    private final FileChannel file;
    private final List<FilePart> parts;
    private final long bytes;
    /** What is run in place of closing the file. */
    private final @Nullable Runnable giveBack;

    private final AtomicBoolean closed = new AtomicBoolean();

    private FileBody(FileChannel file, List<FilePart> parts, @Nullable Runnable giveBack) {
        this.file = file;
        this.giveBack = giveBack;
        this.parts = List.copyOf(parts);
        long sum = 0;
        for (FilePart part : this.parts) {
            sum = Math.addExact(sum, part.bytes() + part.before().length());
        }
        this.bytes = sum;
    }

    /**
     * {@code count} bytes of {@code file}, from {@code position} on.
     *
     * @param file open for reading
     */
    public static FileBody of(FileChannel file, long position, long count) {
        return ofParts(file, List.of(new FilePart(Ascii.EMPTY, position, count)));
    }

    /**
     * These parts of {@code file}, in this order.
     *
     * @param file open for reading
     */
    public static FileBody ofParts(FileChannel file, List<FilePart> parts) {
        return new FileBody(file, parts, null);
    }

    /**
     * The same of a file that others are answered with meanwhile. It isn't closed.
     *
     * @param file open for reading, until {@code giveBack} has run
     * @param giveBack run once, when nothing of the file is sent by this body any more; on any thread, without waiting
     */
    public static FileBody ofShared(FileChannel file, List<FilePart> parts, Runnable giveBack) {
        return new FileBody(file, parts, giveBack);
    }

    /** The file. */
    public FileChannel file() {
        return file;
    }

    /** Its parts in their order. */
    public List<FilePart> parts() {
        return parts;
    }

    /** The length of the body. */
    public long bytes() {
        return bytes;
    }

    /** Whether nobody has closed it yet. */
    public boolean isOpen() {
        return !closed.get() && file.isOpen();
    }

    /** Closes the file, or gives it back where it is shared. Once is enough. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (giveBack != null) {
            giveBack.run();
            return;
        }
        try {
            file.close();
        } catch (IOException e) {
            // It was only read.
        }
    }
}
