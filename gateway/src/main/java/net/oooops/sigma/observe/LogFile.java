package net.oooops.sigma.observe;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A file that grows at its end. At most once a second, before writing, it looks whether its name still leads to it, and opens the
 * name anew where a log rotation moved it away; where it can't, it goes on with the file that was moved, and says so each time. What is written is written under a lock of the file: while one process takes another one's place both write it, in turn.
 */
final class LogFile implements LogSink {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOCK_TRIES = 100;
    private static final long LOCK_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Path path;
    private final LongSupplier clock;
    private FileChannel channel;
    private @Nullable Object key;
    private long lookedNanos;
    private @Nullable IOException trouble;

    private LogFile(Path path, LongSupplier clock) throws IOException {
        this.path = path;
        this.clock = clock;
        this.channel = openChannel(path);
        this.key = keyOf(path);
        this.lookedNanos = clock.getAsLong();
    }

    /**
     * The file of that name, made where it is missing.
     *
     * @throws IOException where it can't be opened; its message says which and why
     */
    static LogFile open(String name, LongSupplier clock) throws IOException {
        try {
            return new LogFile(Path.of(name), clock);
        } catch (InvalidPathException e) {
            throw new IOException(e.getMessage() + " (expected: the name of a file)", e);
        }
    }

    /** The standard output of the process, which stays open. */
    static LogSink stdout() {
        FileChannel out = new FileOutputStream(FileDescriptor.out).getChannel();
        return new LogSink() {
            @Override
            public void write(ByteBuffer bytes) throws IOException {
                writeAll(out, bytes);
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void write(ByteBuffer bytes) throws IOException {
        long now = clock.getAsLong();
        if (now - lookedNanos >= LOOK_NANOS) {
            lookedNanos = now;
            FileChannel before = channel;
            try {
                reopenIfMoved();
            } catch (IOException e) {
                trouble = channel == before
                        ? new IOException(e.getMessage() + "; lines go to the file that had this name before", e)
                        : e;
            }
        }
        try (FileLock _ = lock()) {
            writeAll(channel, bytes);
        }
    }

    @Override
    public @Nullable IOException takeTrouble() {
        IOException taken = trouble;
        trouble = null;
        return taken;
    }

    /** Null where there is no lock to be had in time: lines are worth more than their order. */
    private @Nullable FileLock lock() {
        try {
            FileLock lock = channel.tryLock();
            for (int i = 0; lock == null && i < LOCK_TRIES; i++) {
                LockSupport.parkNanos(LOCK_POLL_NANOS);
                lock = channel.tryLock();
            }
            return lock;
        } catch (IOException | OverlappingFileLockException e) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** @throws IOException where it can't be opened anew, and lines go where they went before */
    private void reopenIfMoved() throws IOException {
        Object found = keyOf(path);
        if (found != null && Objects.equals(found, key)) {
            return;
        }
        FileChannel made = openChannel(path);
        FileChannel moved = channel;
        channel = made;
        try {
            key = keyOf(path);
        } finally {
            moved.close();
        }
    }

    private static FileChannel openChannel(Path path) throws IOException {
        try {
            return FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            String reason = e instanceof FileSystemException system && system.getReason() != null
                    ? system.getReason()
                    : e.getClass().getSimpleName();
            throw new IOException(path + ": " + reason + " (expected: a file that can be opened for appending)", e);
        }
    }

    /** What tells this file from others, null where there is none of that name. */
    private static @Nullable Object keyOf(Path path) throws IOException {
        try {
            Object found = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            return found == null ? path : found;
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static void writeAll(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                throw new IOException("nothing was taken (expected: " + bytes.remaining() + " bytes)");
            }
        }
    }
}
