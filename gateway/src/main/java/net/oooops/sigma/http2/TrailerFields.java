package net.oooops.sigma.http2;

import net.oooops.sigma.http.FieldSection;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.Trailers;

/** Reads the fields behind a body (RFC 9113 section 8.1). */
final class TrailerFields extends FieldLines {
    private Trailers trailers = new Trailers();

    /** Another section begins. */
    void begin(int fieldBytesMax, int bytesMax, int countMax, Trailers into) {
        begin(fieldBytesMax, bytesMax, countMax);
        trailers = into;
        into.beginFields(0);
    }

    @Override
    FieldSection section() {
        return trailers;
    }

    @Override
    void pseudo(HpackField field) {
        refuse(Refusal.PSEUDO_FIELD);
    }

    @Override
    void regular(HpackField field) {
        line(field);
    }
}
