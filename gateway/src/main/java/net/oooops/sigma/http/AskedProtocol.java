package net.oooops.sigma.http;

/**
 * The protocol that a node is asked to switch its connection to (RFC 9110 section 7.8): one of those that the client asks for, or none.
 * Its name stands among the bytes of the request's head, which are complete by the time that one is chosen.
 *
 * <p>Part of a head, used again with it, and on its thread.
 */
public final class AskedProtocol {
    private static final byte[] NONE = {};

    private byte[] bytes = NONE;
    private int start;
    private int end;

    AskedProtocol() {}

    /** The node isn't asked. */
    void clear() {
        if (isChosen()) {
            bytes = NONE;
            start = 0;
            end = 0;
        }
    }

    /**
     * Takes the first of the protocols in the list {@code from[start, end)}, the value of an Upgrade field, that is allowed.
     *
     * @return whether there is one
     */
    boolean choose(byte[] from, int listStart, int listEnd, ProtocolNames allowed) {
        long first = allowed.firstIn(from, listStart, listEnd);
        if (first == Span.NONE) {
            return false;
        }
        bytes = from;
        start = Span.start(first);
        end = Span.end(first);
        return true;
    }

    /** Whether the node is asked. */
    public boolean isChosen() {
        return end > 0;
    }

    /** Whether it is asked for that one, which is all lower case, in any letter case. */
    public boolean is(byte[] lowerCase) {
        return Octets.equalsIgnoreCase(bytes, start, end, lowerCase);
    }

    /** Whether {@code other[otherStart, otherEnd)} is its name, in any letter case. */
    boolean is(byte[] other, int otherStart, int otherEnd) {
        int length = end - start;
        return otherEnd - otherStart == length && Octets.equalsIgnoreCase(other, otherStart, bytes, start, length);
    }

    /** Writes its name as the client wrote it. */
    public void writeTo(HeadWriter out) {
        out.append(bytes, start, end);
    }

    /** Its name as the client wrote it; empty where the node isn't asked. */
    @Override
    public String toString() {
        return Octets.string(bytes, start, end);
    }
}
