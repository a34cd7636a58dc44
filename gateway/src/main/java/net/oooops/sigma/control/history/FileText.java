package net.oooops.sigma.control.history;

import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * A file that a configuration was read from.
 *
 * @param path as it was named
 * @param bytes what was in it, to be changed by nobody
 */
@SuppressWarnings("ArrayRecordComponent") // Equal by what is in it, below.
public record FileText(Path path, byte[] bytes) {
    @Override
    public boolean equals(Object other) {
        return other instanceof FileText file && path.equals(file.path) && Arrays.equals(bytes, file.bytes);
    }

    @Override
    public int hashCode() {
        return path.hashCode();
    }

    @Override
    public String toString() {
        return path + " (" + bytes.length + " bytes)";
    }

    /** The SHA-256 of a file as {@code sha256sum FILE} prints it; of several that of all their lines, as {@code sha256sum FILES | sha256sum} does. */
    public static String hash(List<FileText> files) {
        if (files.size() == 1) {
            return sha256(files.getFirst().bytes());
        }
        StringBuilder lines = new StringBuilder();
        for (FileText each : files) {
            lines.append(sha256(each.bytes())).append("  ").append(each.path()).append('\n');
        }
        return sha256(lines.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
