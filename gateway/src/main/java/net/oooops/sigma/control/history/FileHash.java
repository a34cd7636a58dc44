package net.oooops.sigma.control.history;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import net.oooops.sigma.config.ConfigText;

/** What tells configurations apart: SHA-256, in hexadecimal digits. */
public final class FileHash {
    private FileHash() {}

    /** Of one file as {@code sha256sum FILE} prints it; of several that of all their lines, as {@code sha256sum FILES | sha256sum} does. */
    public static String of(List<ConfigText> files) {
        if (files.size() == 1) {
            return of(files.getFirst().bytes());
        }
        StringBuilder lines = new StringBuilder();
        for (ConfigText each : files) {
            lines.append(of(each.bytes())).append("  ").append(each.path()).append('\n');
        }
        return of(lines.toString().getBytes(StandardCharsets.UTF_8));
    }

    static String of(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
