package net.oooops.sigma.certificate;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Folders and files for private keys: for their owner alone (0700, 0600). On systems without such rights they are made as these make them, and nothing
 * is looked at. Any thread; all of it blocks.
 */
public final class SecretFolder {
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

    private SecretFolder() {}

    /** Others can read what is secret, or it isn't what it has to be. */
    public static final class Exposed extends Exception {
        private static final long serialVersionUID = 1;

        private final String file;
        private final String expected;

        private Exposed(Path file, String found, String expected) {
            super(found);
            this.file = file.toString();
            this.expected = expected;
        }

        /** What it is about. */
        public String file() {
            return file;
        }

        /** What was found, to be read after the file's name. */
        public String found() {
            return String.valueOf(getMessage());
        }

        /** What was expected instead. */
        public String expected() {
            return expected;
        }
    }

    /**
     * Looks at a folder, or at a file; what isn't there is well.
     *
     * @throws Exposed where others than its owner have any right to it
     */
    public static void requireSecret(Path path) throws Exposed {
        boolean folder = Files.isDirectory(path);
        boolean file =
                path.getFileName() != null && path.getFileName().toString().matches(".*\\.(pem|key)");
        if (!Files.exists(path)) {
            return;
        }
        if (!folder && !file) {
            throw new Exposed(path, "which is a file", "a folder");
        }
        if (folder && file) {
            throw new Exposed(path, "which is a folder", "a file");
        }
        if (!isPosix(path)) {
            return;
        }
        try {
            Set<PosixFilePermission> found = Files.getPosixFilePermissions(path);
            Set<PosixFilePermission> most = folder ? FOLDER : FILE;
            if (!FOLDER.containsAll(found)) {
                String mode = PosixFilePermissions.toString(found);
                throw new Exposed(
                        path,
                        "which others have rights to (" + mode + ")",
                        PosixFilePermissions.toString(most) + ", as it holds private keys: chmod "
                                + (folder ? "700" : "600"));
            }
        } catch (IOException e) {
            throw new Exposed(path, "which can't be looked at", "a folder and files of the user that runs Sigma");
        }
    }

    /**
     * Looks whether a folder can be written into, or could be made where it isn't there. Nothing is made.
     *
     * @throws Exposed where it can't, as far as that can be told without a try
     */
    public static void requireMakeable(Path folder) throws Exposed {
        Path at = folder.toAbsolutePath();
        while (!Files.exists(at, LinkOption.NOFOLLOW_LINKS) && at.getParent() != null) {
            at = at.getParent();
        }
        if (!Files.isDirectory(at)) {
            throw new Exposed(at, "which is no folder", "a folder, in which " + folder + " can be made");
        }
        if (!Files.isWritable(at) || !Files.isExecutable(at)) {
            throw new Exposed(
                    at,
                    "which can't be written into",
                    at.equals(folder.toAbsolutePath())
                            ? "a folder of the user that runs Sigma"
                            : "a folder of the user that runs Sigma, in which " + folder + " can be made");
        }
    }

    /** Makes a folder, and those above it, where it isn't there. */
    public static void make(Path folder) throws IOException {
        if (isPosix(existing(folder))) {
            Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(FOLDER));
        } else {
            Files.createDirectories(folder);
        }
    }

    /** Writes a file in one piece: whoever reads it sees what was there before, or all of this. */
    public static void write(Path file, String text) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        create(fresh);
        try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(US_ASCII));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Makes an empty file where there is none. */
    public static void create(Path file) throws IOException {
        FileAttribute<?>[] rights = isPosix(existing(file))
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(FILE)}
                : new FileAttribute<?>[0];
        try {
            Files.createFile(file, rights);
        } catch (FileAlreadyExistsException e) {
            // By another process, just now.
            return;
        }
    }

    private static Path existing(Path path) {
        Path at = path.toAbsolutePath();
        while (!Files.exists(at) && at.getParent() != null) {
            at = at.getParent();
        }
        return at;
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
