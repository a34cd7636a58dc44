package net.oooops.sigma.http;

/** The trailer section of a chunked message (RFC 9112 section 7.1.2). */
public final class Trailers extends FieldSection {
    /** What frames, routes or describes a message must not come behind it (RFC 9110 section 6.5.1). */
    private static final byte[] CONTENT = Octets.ascii("content-");

    @Override
    public boolean accept(int nameStart, int nameEnd, int valueStart, int valueEnd) {
        int known = KnownField.of(bytes, nameStart, nameEnd);
        boolean describesContent = nameEnd - nameStart >= CONTENT.length
                && Octets.equalsIgnoreCase(bytes, nameStart, nameStart + CONTENT.length, CONTENT);
        if (describesContent || KnownField.isNeverTrailer(known)) {
            return refuse(Refusal.TRAILER_FORBIDDEN);
        }
        addReceived(nameStart, nameEnd, valueStart, valueEnd, known);
        return true;
    }
}
