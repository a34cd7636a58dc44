package net.oooops.sigma.api;

/**
 * A part of a {@link FileBody}.
 *
 * @param before what goes before it, such as the head of a part of {@code multipart/byteranges}; {@link Ascii#EMPTY} for nothing
 * @param position of its first byte in the file
 * @param bytes how many; 0 where {@code before} is all
 */
public record FilePart(Ascii before, long position, long bytes) {
    /** @throws IllegalArgumentException where {@code position} or {@code bytes} is negative */
    public FilePart {
        if (position < 0 || bytes < 0) {
            throw new IllegalArgumentException(
                    "position: " + position + ", bytes: " + bytes + " (expected: none of them negative)");
        }
    }
}
