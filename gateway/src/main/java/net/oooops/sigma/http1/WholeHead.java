package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Refusal;
import org.jspecify.annotations.Nullable;

/** Reads a head that is there at once, rather than as it arrives: for a look at a request without a connection. Any thread. */
public final class WholeHead {
    private WholeHead() {}

    /**
     * Reads the head of a request.
     *
     * @param bytes the head, its empty line included
     * @param head one that is clear
     * @return why it is refused, or null where it is well-formed
     * @throws IllegalArgumentException where the head doesn't end in {@code bytes}
     */
    public static @Nullable Refusal readRequest(byte[] bytes, HttpRequestHead head, Limits limits) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        head.append(in, bytes.length);
        return switch (RequestParser.parse(head, limits)) {
            case DONE -> null;
            case REFUSED -> head.refusal();
            case MORE -> throw new IllegalArgumentException("a head without end (expected: an empty line after it)");
        };
    }
}
