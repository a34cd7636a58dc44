package net.oooops.sigma.control.socket;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The folder in which running gateways can be found: for its owner alone (0700), as all files in it are (0600). Any thread; all of it blocks.
 *
 * @param path where it is, absolute
 */
public record RunFolder(Path path) {
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Path OF_SYSTEM = Path.of("/run/sigma");
    private static final String LOCK = ".lock";

    /** No longer than that of the socket by which a gateway is asked: where there is room for one, there is for both. */
    static final String NEXT_SUFFIX = ".next";

    /** What a path may have, without the zero behind it, in {@code sun_path} of macOS and of Linux. */
    private static final int PATH_BYTES_MAX = System.getProperty("os.name", "").startsWith("Mac") ? 103 : 107;

    private static final Duration LOCK_LIMIT = Duration.ofSeconds(2);
    private static final long LOCK_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The one where nothing else is said. */
    public static RunFolder usual() {
        return usual(System::getenv, System.getProperty("user.name", ""), System.getProperty("user.home", ""));
    }

    /** {@code $XDG_RUNTIME_DIR/sigma} where that is the user's; {@code /run/sigma} of root, and of whom it is made for; else below the home. */
    static RunFolder usual(Function<String, @Nullable String> environment, String user, String home) {
        String runtime = environment.apply("XDG_RUNTIME_DIR");
        if (runtime != null && !runtime.isEmpty() && isOf(user, Path.of(runtime))) {
            return new RunFolder(Path.of(runtime, "sigma"));
        }
        Path ofUser = Path.of(home, ".sigma", "run");
        boolean homeless = !ofUser.isAbsolute();
        return new RunFolder(homeless || user.equals("root") || Files.isWritable(OF_SYSTEM) ? OF_SYSTEM : ofUser);
    }

    private static boolean isOf(String user, Path folder) {
        try {
            return folder.isAbsolute()
                    && Files.isDirectory(folder)
                    && Files.getOwner(folder).getName().equals(user);
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** One that the user names. */
    public static RunFolder named(Path folder) {
        return new RunFolder(folder.toAbsolutePath().normalize());
    }

    /** The one in which a gateway has its socket. */
    public static RunFolder of(Presence presence) {
        return new RunFolder(presence.socket().resolveSibling(".").normalize());
    }

    /** Where the configurations are kept that took effect. */
    public Path history() {
        return path.resolve("history");
    }

    /**
     * The socket at which this process meets one that is to take its place.
     *
     * @throws SocketFault where its path is too long
     */
    public Path next() throws SocketFault {
        Path socket = path.resolve(ProcessHandle.current().pid() + NEXT_SUFFIX);
        requireShort(socket);
        return socket;
    }

    static void requireShort(Path socket) throws SocketFault {
        int bytes = socket.toString().getBytes(Charset.defaultCharset()).length;
        if (bytes > PATH_BYTES_MAX) {
            throw new SocketFault("socket " + socket + ": a path of " + bytes + " bytes (expected: at most "
                    + PATH_BYTES_MAX + ", as the system has no room for more; --run-dir names another folder)");
        }
    }

    /**
     * Makes it where it isn't there.
     *
     * @throws SocketFault where it can't be made or written, or is another user's, or open to others
     */
    public void make() throws SocketFault {
        try {
            if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                throw fault("on a system without the rights of Unix");
            }
            if (!Files.isDirectory(path)) {
                Files.createDirectories(path, PosixFilePermissions.asFileAttribute(FOLDER));
            }
            requireClosed();
            requireOwn();
        } catch (IOException e) {
            throw fault(SocketFault.why(e));
        }
    }

    /**
     * Looks whether it can be used as it is.
     *
     * @return whether it is there
     * @throws SocketFault where it can't be read, or others could have put into it what they like
     */
    public boolean isThere() throws SocketFault {
        if (!Files.exists(path)) {
            return false;
        }
        try {
            requireClosed();
            if (!Files.isReadable(path) || !Files.isExecutable(path)) {
                throw fault("permission denied: it is " + Files.getOwner(path).getName() + "'s");
            }
            return true;
        } catch (IOException e) {
            throw fault(SocketFault.why(e));
        }
    }

    private void requireClosed() throws IOException, SocketFault {
        if (!Files.isDirectory(path)) {
            throw fault("no folder");
        }
        Set<PosixFilePermission> found = Files.getPosixFilePermissions(path);
        if (!FOLDER.containsAll(found)) {
            throw fault("others have rights to it (" + PosixFilePermissions.toString(found) + ")");
        }
    }

    /** Whoever isn't root could make no file in another's folder. */
    private void requireOwn() throws IOException, SocketFault {
        Path probe = Files.createTempFile(path, ".probe", "", PosixFilePermissions.asFileAttribute(FILE));
        try {
            if (!Files.getOwner(probe).equals(Files.getOwner(path))) {
                throw fault("it is " + Files.getOwner(path).getName() + "'s");
            }
        } finally {
            Files.delete(probe);
        }
    }

    private SocketFault fault(String found) {
        return new SocketFault("run folder " + path + ": " + found + expected());
    }

    private static String expected() {
        return " (expected: a folder of yours with mode 0700; --run-dir names another one)";
    }

    /** Whether it, or what is in it, may be changed by who asks: root asks in another's, and leaves it as it is. */
    boolean isOwn() {
        try {
            Path lock = path.resolve(LOCK);
            return Files.isWritable(path)
                    && Files.exists(lock, LinkOption.NOFOLLOW_LINKS)
                    && Files.getOwner(path).getName().equals(System.getProperty("user.name"));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Keeps other processes from taking dead sockets away, and from making new ones, until what it returns is closed.
     *
     * @throws SocketFault where another one keeps it for long
     */
    Closeable lock() throws IOException, SocketFault {
        FileChannel channel = FileChannel.open(
                path.resolve(LOCK),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(FILE));
        long deadline = System.nanoTime() + LOCK_LIMIT.toNanos();
        try {
            boolean locked = tryLock(channel);
            while (!locked && System.nanoTime() < deadline) {
                LockSupport.parkNanos(LOCK_POLL_NANOS);
                locked = tryLock(channel);
            }
            if (locked) {
                return channel;
            }
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        throw new SocketFault("run folder " + path + ": kept locked by another process");
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Another one in this process.
            return false;
        }
    }

    /** Writes a file for its owner alone, in one piece. */
    static void write(Path file, byte[] content) throws IOException {
        Path fresh = file.resolveSibling("." + file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        FileAttribute<Set<PosixFilePermission>> rights = PosixFilePermissions.asFileAttribute(FILE);
        try (FileChannel channel =
                FileChannel.open(fresh, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), rights)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            Files.deleteIfExists(fresh);
            throw e;
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Has a file's owner alone use it. */
    static void close(Path file) throws IOException {
        Files.setPosixFilePermissions(file, FILE);
    }
}
