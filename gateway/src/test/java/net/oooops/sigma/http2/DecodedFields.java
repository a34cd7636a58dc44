package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;

/** The fields that a decoder tells of, each as {@code name: value}. */
final class DecodedFields implements HpackSink {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void field(HpackField field) {
        lines.add(new String(field.name, field.nameStart, field.nameEnd - field.nameStart, ISO_8859_1)
                + ": "
                + new String(field.value, field.valueStart, field.valueEnd - field.valueStart, ISO_8859_1));
    }

    List<String> lines() {
        return lines;
    }
}
