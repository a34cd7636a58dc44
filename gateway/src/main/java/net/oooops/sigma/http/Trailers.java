package net.oooops.sigma.http;

import net.oooops.sigma.api.Field;

/** The trailer section of a chunked message (RFC 9112 section 7.1.2). */
public final class Trailers extends FieldSection {
    /** What frames, routes or describes a message, or says who sends it, must not come behind it (RFC 9110 section 6.5.1). */
    private static final byte[] CONTENT = Octets.ascii("content-");

    @Override
    public boolean accept(int nameStart, int nameEnd, int valueStart, int valueEnd) {
        int known = KnownField.of(bytes, nameStart, nameEnd);
        boolean describesContent = nameEnd - nameStart >= CONTENT.length
                && Octets.equalsIgnoreCase(bytes, nameStart, nameStart + CONTENT.length, CONTENT);
        if (describesContent || (KnownField.isNeverTrailer(known) && !isHidden(known))) {
            return refuse(Refusal.TRAILER_FORBIDDEN);
        }
        // Whom a request is from is said by Sigma alone, and in its head. It is there all the same, for what is written
        // is copied from field to field.
        addReceived(nameStart, nameEnd, valueStart, valueEnd, isHidden(known) ? known | REMOVED : known);
        return true;
    }

    private static boolean isHidden(int known) {
        return known == KnownField.X_CONSUMER;
    }

    /** @throws IllegalArgumentException where no trailer section may carry that field */
    @Override
    public void add(Field field) {
        byte[] name = Octets.ascii(field.name().toString());
        boolean describesContent =
                name.length >= CONTENT.length && Octets.equalsIgnoreCase(name, 0, CONTENT.length, CONTENT);
        if (describesContent || KnownField.isNeverTrailer(KnownField.of(name, 0, name.length))) {
            throw new IllegalArgumentException(field.name() + " (expected: a trailer field, RFC 9110 section 6.5.1)");
        }
        super.add(field);
    }
}
