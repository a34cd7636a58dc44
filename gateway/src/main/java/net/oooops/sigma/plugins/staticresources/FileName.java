package net.oooops.sigma.plugins.staticresources;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a path of a request names in a folder: strict, for whatever is decoded here has passed no other rule yet. */
final class FileName {
    private static final int BYTES_MAX = 4096;
    private static final int SEGMENT_CHARS_MAX = 255;

    /** The one that holds what others are to find (RFC 8615). */
    static final String WELL_KNOWN = ".well-known";

    private FileName() {}

    /**
     * The name below the folder, without a slash at its beginning or end; empty for the folder itself.
     *
     * @param path normalised, percent-encoded
     * @param from where in it the slash is that stands for the folder
     * @param dotFiles whether segments may begin with a dot, beside {@code .well-known} as the first
     * @return null where it can't name anything that may be given out
     */
    static @Nullable String of(String path, int from, boolean dotFiles) {
        int start = Math.min(from + 1, path.length());
        int end = path.endsWith("/") && path.length() > start ? path.length() - 1 : path.length();
        String decoded = decoded(path, start, end);
        return decoded == null || !isSound(decoded, dotFiles) ? null : decoded;
    }

    private static @Nullable String decoded(String path, int start, int end) {
        if (end - start > 3 * BYTES_MAX) {
            return null;
        }
        byte[] bytes = new byte[end - start];
        int length = 0;
        for (int i = start; i < end; i++) {
            int c = path.charAt(i);
            if (c == '%') {
                c = i + 2 < end ? octet(path.charAt(i + 1), path.charAt(i + 2)) : -1;
                i += 2;
                if (c == '/') {
                    // It was no slash for any rule before.
                    return null;
                }
            }
            if (c < 0x20 || c == 0x7F || c == '\\' || c > 0xFF) {
                return null;
            }
            bytes[length++] = (byte) c;
        }
        try {
            return length > BYTES_MAX
                    ? null
                    : StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes, 0, length))
                            .toString();
        } catch (CharacterCodingException e) {
            // Overlong forms among others.
            return null;
        }
    }

    private static int octet(char high, char low) {
        int first = Character.digit(high, 16);
        int second = Character.digit(low, 16);
        return first < 0 || second < 0 ? -1 : first << 4 | second;
    }

    private static boolean isSound(String name, boolean dotFiles) {
        if (name.isEmpty()) {
            return true;
        }
        int start = 0;
        while (start <= name.length()) {
            int slash = name.indexOf('/', start);
            int end = slash < 0 ? name.length() : slash;
            String segment = name.substring(start, end);
            boolean dotted = segment.startsWith(".") && !(start == 0 && segment.equals(WELL_KNOWN));
            boolean steps = segment.equals(".") || segment.equals("..");
            if (segment.isEmpty() || segment.length() > SEGMENT_CHARS_MAX || steps || (dotted && !dotFiles)) {
                return false;
            }
            start = end + 1;
        }
        return true;
    }
}
