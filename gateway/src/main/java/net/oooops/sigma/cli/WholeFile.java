package net.oooops.sigma.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;

/** Writes files of the user's in one piece: whoever reads one sees what was there before, or all that is new. */
final class WholeFile {
    private WholeFile() {}

    /** Writes a file that isn't there. */
    static void create(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Writes a file that is there anew, where a link leads to it at that place; its owner, group and rights stay. */
    static void replace(Path file, String text) throws IOException {
        Path at = file.toRealPath();
        Path fresh = Files.createTempFile(at.getParent(), ".sigma-", ".new");
        try {
            write(fresh, text);
            keepRights(at, fresh);
            Files.move(fresh, at, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static void write(Path file, String text) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    private static void keepRights(Path from, Path to) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(to, PosixFileAttributeView.class);
        if (view == null) {
            return;
        }
        PosixFileAttributes before = Files.readAttributes(from, PosixFileAttributes.class);
        PosixFileAttributes now = view.readAttributes();
        if (!now.owner().equals(before.owner())) {
            view.setOwner(before.owner());
        }
        if (!now.group().equals(before.group())) {
            view.setGroup(before.group());
        }
        view.setPermissions(before.permissions());
    }
}
