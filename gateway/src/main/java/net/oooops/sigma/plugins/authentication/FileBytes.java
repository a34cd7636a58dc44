package net.oooops.sigma.plugins.authentication;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import net.oooops.sigma.api.UnfitException;

/** What is in files that settings name. */
public final class FileBytes {
    private FileBytes() {}

    /**
     * Reads a file. Never one that is no file: to open a pipe waits until somebody writes to it, and reading a device may never come to its end.
     *
     * @throws UnfitException where it has more bytes, or is a pipe, a socket or a device
     */
    public static byte[] of(Path path, int bytesMax) throws IOException {
        if (Files.readAttributes(path, BasicFileAttributes.class).isOther()) {
            throw new UnfitException("a file, not a pipe or a device");
        }
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(bytesMax + 1);
            if (bytes.length > bytesMax) {
                throw new UnfitException("at most " + bytesMax + " bytes");
            }
            return bytes;
        }
    }
}
