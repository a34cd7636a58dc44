package net.oooops.sigma.http;

/** What the heads of requests and of responses have in common: version, framing fields and connection options. */
public abstract class MessageHead extends FieldSection {
    /** No Content-Length. */
    static final long NO_LENGTH = -1;

    private static final byte[] CHUNKED = Octets.ascii("chunked");
    private static final byte[] CLOSE = Octets.ascii("close");
    private static final byte[] KEEP_ALIVE = Octets.ascii("keep-alive");
    private static final byte[] UPGRADE = Octets.ascii("upgrade");
    /** Each is looked for among all fields: more than any sender has would be costly for nothing. */
    private static final int CONNECTION_OPTIONS_MAX = 100;
    /** More digits than a body of 63 bits has. */
    private static final int LENGTH_DIGITS_MAX = 19;

    /** 0 or 1: the y of HTTP/1.y, 1 for any higher one. */
    int minorVersion;
    /** It came over HTTP/2. */
    private boolean http2;

    long contentLength;
    boolean chunked;
    boolean closeOption;
    boolean keepAliveOption;
    /** Connection names Upgrade: the field is meant for whoever receives it here. */
    boolean upgradeOption;

    private boolean namesOthers;
    private int codingCount;
    private int optionCount;

    @Override
    public void clear() {
        super.clear();
        minorVersion = 1;
        http2 = false;
        contentLength = NO_LENGTH;
        chunked = false;
        closeOption = false;
        keepAliveOption = false;
        upgradeOption = false;
        namesOthers = false;
        codingCount = 0;
        optionCount = 0;
    }

    /** The y of HTTP/1.y. RFC 9110 section 2.5: one higher than those that are known is read as the highest of them. */
    public final void minorVersion(byte digit) {
        minorVersion = Math.min(digit - '0', 1);
    }

    /** It came over HTTP/2, which has its own framing and no fields of the connection; all else is as in HTTP/1.1. */
    public final void http2() {
        http2 = true;
    }

    /** Whether it came over HTTP/2. */
    public final boolean isHttp2() {
        return http2;
    }

    /** There is no body, though nothing was said of its length. */
    public final void empty() {
        contentLength = 0;
    }

    /** A body of unknown length follows, as where it is chunked. */
    public final void streamed() {
        chunked = true;
    }

    /** Its body becomes another one, of a length that nobody knows yet. */
    public final void unmeasured() {
        contentLength = NO_LENGTH;
        chunked = true;
    }

    /** Whether the sender keeps the connection open after this message (RFC 9112 section 9.3). */
    public final boolean isPersistent() {
        return !closeOption && (minorVersion == 1 || keepAliveOption);
    }

    /** 0 or 1: the y of HTTP/1.y, 1 for any higher one. */
    public final int minorVersion() {
        return minorVersion;
    }

    /** The value of Content-Length, or -1. */
    public final long contentLength() {
        return contentLength;
    }

    /** Whether the body is chunked. */
    public final boolean isChunked() {
        return chunked;
    }

    @Override
    public final boolean accept(int nameStart, int nameEnd, int valueStart, int valueEnd) {
        int known = KnownField.of(bytes, nameStart, nameEnd);
        boolean taken = switch (known) {
            case KnownField.OTHER -> true;
            case KnownField.CONTENT_LENGTH -> takeLength(valueStart, valueEnd);
            case KnownField.TRANSFER_ENCODING -> takeCoding(valueStart, valueEnd);
            case KnownField.CONNECTION -> takeOptions(valueStart, valueEnd);
            default -> acceptKnown(known, valueStart, valueEnd);
        };
        addReceived(
                nameStart, nameEnd, valueStart, valueEnd, KnownField.isHopByHop(known) ? known | NOT_FORWARDED : known);
        return taken;
    }

    /** Takes one of the other known fields. */
    abstract boolean acceptKnown(int known, int valueStart, int valueEnd);

    /** What can only be judged when all fields are known (RFC 9112 section 6.1 to 6.3). */
    public final boolean finishFraming() {
        if (codingCount > 0) {
            if (contentLength != NO_LENGTH) {
                return refuse(Refusal.LENGTH_AND_CODING);
            }
            if (minorVersion == 0) {
                return refuse(Refusal.CODING_IN_10);
            }
            if (codingCount > 1) {
                return refuse(Refusal.CODING);
            }
        }
        if (!chunked) {
            // RFC 9110 section 6.6.2: it announces trailers, and there can be none.
            drop(KnownField.TRAILER);
        }
        if (namesOthers) {
            dropNamed();
        }
        return true;
    }

    /** What was said of a body isn't meant. */
    final void dropFraming() {
        contentLength = NO_LENGTH;
        codingCount = 0;
        chunked = false;
    }

    private boolean takeLength(int start, int end) {
        if (contentLength != NO_LENGTH) {
            return refuse(Refusal.CONTENT_LENGTH_DUPLICATE);
        }
        if (start == end || end - start > LENGTH_DIGITS_MAX) {
            return refuse(Refusal.CONTENT_LENGTH);
        }
        long value = 0;
        for (int i = start; i < end; i++) {
            if (!Octets.isDigit(bytes[i])) {
                return refuse(Refusal.CONTENT_LENGTH);
            }
            value = value * 10 + (bytes[i] - '0');
        }
        if (value < 0) {
            return refuse(Refusal.CONTENT_LENGTH);
        }
        contentLength = value;
        return true;
    }

    private boolean takeCoding(int start, int end) {
        codingCount++;
        chunked = Octets.equalsIgnoreCase(bytes, start, end, CHUNKED);
        return chunked || refuse(Refusal.CODING);
    }

    private boolean takeOptions(int start, int end) {
        int at = start;
        while (at < end) {
            int tokenEnd = tokenEnd(at, end);
            if (tokenEnd == at) {
                at++;
            } else {
                takeOption(at, tokenEnd);
                at = tokenEnd;
                optionCount++;
            }
        }
        return optionCount <= CONNECTION_OPTIONS_MAX || refuse(Refusal.CONNECTION_OPTIONS);
    }

    private void takeOption(int start, int end) {
        if (Octets.equalsIgnoreCase(bytes, start, end, CLOSE)) {
            closeOption = true;
        } else if (Octets.equalsIgnoreCase(bytes, start, end, KEEP_ALIVE)) {
            keepAliveOption = true;
        } else if (Octets.equalsIgnoreCase(bytes, start, end, UPGRADE)) {
            upgradeOption = true;
        } else {
            namesOthers = true;
        }
    }

    private int tokenEnd(int start, int end) {
        int at = start;
        while (at < end && Octets.isToken(bytes[at])) {
            at++;
        }
        return at;
    }

    /** Fields that a Connection field names aren't written on, except those that no client may take out. */
    private void dropNamed() {
        for (int field = 0; field < fieldCount; field++) {
            if (known(field) == KnownField.CONNECTION) {
                dropNamedIn(valueStart(field), valueEnd(field));
            }
        }
    }

    private void dropNamedIn(int start, int end) {
        int at = start;
        while (at < end) {
            int tokenEnd = tokenEnd(at, end);
            if (tokenEnd == at) {
                at++;
            } else {
                drop(at, tokenEnd);
                at = tokenEnd;
            }
        }
    }

    private void drop(int start, int end) {
        for (int field = 0; field < fieldCount; field++) {
            boolean named = nameEnd(field) - nameStart(field) == end - start
                    && !KnownField.isEndToEnd(known(field))
                    && Octets.equalsIgnoreCase(bytes, start, bytes, nameStart(field), end - start);
            if (named) {
                mark(field, NOT_FORWARDED);
            }
        }
    }
}
