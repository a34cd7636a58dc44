package net.oooops.sigma.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads replies of RESP2 as they come, cut anywhere:
 *
 * <pre>
 *   value ─▶ +text | -error | :number | $length bytes | *count value…
 * </pre>
 *
 * Replies are a {@code String}, an {@link ErrorReply}, a {@code Long}, a {@code byte[]}, a {@code List} of these, or {@link #NIL}. Of one reply no more is
 * kept than {@code bytesMax}. What is longer is read past, up to {@link #PASSED_BYTES_MAX}, and is {@link #TOO_LONG}: replies to others follow it. Whatever is
 * longer than that, deeper, or no reply is garbage, after which nothing can be read any more.
 *
 * <p>One thread.
 */
final class ReplyReader {
    /** Nothing: a length of -1. */
    static final Object NIL = new Object();

    /** A reply that is longer than it may be. */
    static final Object TOO_LONG = new Object();

    /** How long a reply may be that is read past. */
    static final int PASSED_BYTES_MAX = 16 << 20;

    /** The longest line: texts, errors, numbers. */
    static final int LINE_BYTES_MAX = 8192;

    /** Lists within lists. */
    static final int DEPTH_MAX = 8;

    /** What an element of a list takes at least. */
    private static final int ELEMENT_BYTES = 16;

    private static final int LENGTH_DIGITS_MAX = 18;
    private static final int KEPT_BYTES = 4096;

    private final int bytesMax;
    private final int passedBytesMax;
    private final Deque<Open> open = new ArrayDeque<>();
    private byte[] unread = new byte[KEPT_BYTES];
    private int from;
    private int to;
    /** Of the reply that is being read. */
    private long takenBytes;
    /** It is longer than it may be: nothing of it is kept. */
    private boolean tooLong;

    /** How many bytes are still to come of a text that has a length; less than 0 where none is being read. */
    private int lengthBytes = -1;

    /** An error that Redis answers with. */
    record ErrorReply(String text) {}

    /** A list that isn't complete. */
    private static final class Open {
        private final List<Object> elements = new ArrayList<>();
        private int leftCount;

        Open(int count) {
            this.leftCount = count;
        }

        /** Whether it is complete with that. */
        boolean add(Object element, boolean kept) {
            if (kept) {
                elements.add(element);
            }
            leftCount--;
            return leftCount == 0;
        }
    }

    /** What came is no reply, or too long. */
    static final class GarbageException extends Exception {
        private static final long serialVersionUID = 1;

        GarbageException(String found) {
            super(found, null, false, false);
        }
    }

    /** @param bytesMax the longest reply */
    ReplyReader(int bytesMax) {
        this(bytesMax, Math.max(bytesMax, PASSED_BYTES_MAX));
    }

    /** @param passedBytesMax the longest one that is read past */
    ReplyReader(int bytesMax, int passedBytesMax) {
        this.bytesMax = bytesMax;
        this.passedBytesMax = passedBytesMax;
    }

    /**
     * Takes what came next, and gives on each reply that is complete.
     *
     * @throws GarbageException where it is none
     */
    void take(byte[] bytes, Consumer<Object> replies) throws GarbageException {
        append(bytes);
        boolean more = true;
        while (more) {
            Object value = lengthBytes >= 0 ? text() : line();
            more = value != null;
            if (value != null && !(value instanceof Open)) {
                complete(value, replies);
            }
        }
        trim();
    }

    private void append(byte[] bytes) {
        if (to + bytes.length > unread.length) {
            byte[] larger = new byte[Math.max(unread.length, to - from + bytes.length)];
            System.arraycopy(unread, from, larger, 0, to - from);
            to -= from;
            from = 0;
            unread = larger;
        }
        System.arraycopy(bytes, 0, unread, to, bytes.length);
        to += bytes.length;
    }

    /** A long reply is not to keep its memory. */
    private void trim() {
        if (from == to) {
            from = 0;
            to = 0;
            unread = unread.length > KEPT_BYTES ? new byte[KEPT_BYTES] : unread;
        }
    }

    /** A value, or a list that begins; null where it isn't complete. */
    private @Nullable Object line() throws GarbageException {
        int end = from;
        int limit = Math.min(to, from + LINE_BYTES_MAX);
        while (end < limit && unread[end] != '\r') {
            end++;
        }
        if (end + 1 >= to) {
            if (to - from >= LINE_BYTES_MAX) {
                throw new GarbageException("a line of more than " + LINE_BYTES_MAX + " bytes");
            }
            requireKind();
            return null;
        }
        if (end >= limit || unread[end + 1] != '\n' || end == from) {
            throw new GarbageException("a line that doesn't end with CR LF");
        }
        byte kind = unread[from];
        String text = new String(unread, from + 1, end - from - 1, StandardCharsets.UTF_8);
        count(end + 2 - from);
        from = end + 2;
        return switch (kind) {
            case '+' -> text;
            case '-' -> new ErrorReply(text);
            case ':' -> number(text);
            case '$' -> length(text);
            case '*' -> list(text);
            default -> throw unknown(kind);
        };
    }

    /** Of a line that may never end, the first byte tells. */
    private void requireKind() throws GarbageException {
        if (from < to && "+-:$*".indexOf(unread[from]) < 0) {
            throw unknown(unread[from]);
        }
    }

    private static GarbageException unknown(byte kind) {
        return new GarbageException("a reply that begins with byte " + (kind & 0xff));
    }

    private static long number(String text) throws GarbageException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new GarbageException("a number that isn't one");
        }
    }

    /** A length or count; -1 is nothing. */
    private static long size(String text) throws GarbageException {
        long size = text.length() > LENGTH_DIGITS_MAX ? Long.MAX_VALUE : number(text);
        if (size < -1) {
            throw new GarbageException("a length of " + size);
        }
        return size;
    }

    private @Nullable Object length(String text) throws GarbageException {
        long size = size(text);
        if (size < 0) {
            return NIL;
        }
        count(size + 2);
        lengthBytes = (int) size;
        return text();
    }

    private @Nullable Object text() throws GarbageException {
        int length = lengthBytes;
        if (tooLong) {
            int passed = Math.min(length, to - from);
            from += passed;
            length -= passed;
            lengthBytes = length;
        }
        if (to - from < length + 2) {
            return null;
        }
        if (unread[from + length] != '\r' || unread[from + length + 1] != '\n') {
            throw new GarbageException("a text that is longer than was said");
        }
        Object text = tooLong ? TOO_LONG : Arrays.copyOfRange(unread, from, from + length);
        from += length + 2;
        lengthBytes = -1;
        return text;
    }

    private Object list(String text) throws GarbageException {
        long size = size(text);
        if (size < 0) {
            return NIL;
        }
        count(size > passedBytesMax ? size : size * ELEMENT_BYTES);
        if (size == 0) {
            return List.of();
        }
        if (open.size() == DEPTH_MAX) {
            throw new GarbageException("more than " + DEPTH_MAX + " lists within each other");
        }
        Open begun = new Open((int) size);
        open.push(begun);
        return begun;
    }

    private void count(long bytes) throws GarbageException {
        if (bytes < 0 || bytes > passedBytesMax - takenBytes) {
            throw new GarbageException("a reply of more than " + passedBytesMax + " bytes");
        }
        takenBytes += bytes;
        if (takenBytes > bytesMax && !tooLong) {
            tooLong = true;
            open.forEach(each -> each.elements.clear());
        }
    }

    private void complete(Object value, Consumer<Object> replies) {
        Object whole = value;
        Open list = open.peek();
        while (list != null) {
            if (!list.add(whole, !tooLong)) {
                return;
            }
            whole = list.elements;
            open.pop();
            list = open.peek();
        }
        Object reply = tooLong ? TOO_LONG : whole;
        takenBytes = 0;
        tooLong = false;
        replies.accept(reply);
    }
}
