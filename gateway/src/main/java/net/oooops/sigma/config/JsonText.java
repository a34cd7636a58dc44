package net.oooops.sigma.config;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.StringWriter;

/** Writes a JSON value as text, indented. */
final class JsonText {

    private JsonText() {}

    static String of(Json json) {
        StringWriter text = new StringWriter();
        try (JsonGenerator to = new JsonFactory().createGenerator(text)) {
            Separators spaced =
                    Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);
            to.setPrettyPrinter(new DefaultPrettyPrinter(spaced).withObjectIndenter(new DefaultIndenter("  ", "\n")));
            write(json, to);
        } catch (IOException e) {
            throw new IllegalStateException("writing text to memory failed", e);
        }
        return text.append('\n').toString();
    }

    private static void write(Json json, JsonGenerator to) throws IOException {
        switch (json.kind()) {
            case OBJECT -> {
                to.writeStartObject();
                for (var member : json.members().entrySet()) {
                    to.writeFieldName(member.getKey());
                    write(member.getValue(), to);
                }
                to.writeEndObject();
            }
            case ARRAY -> {
                to.writeStartArray();
                for (Json item : json.items()) {
                    write(item, to);
                }
                to.writeEndArray();
            }
            case STRING -> to.writeString(json.text());
            case NUMBER -> to.writeNumber(json.number());
            case BOOLEAN -> to.writeBoolean(json.isTrue());
            case NULL -> to.writeNull();
        }
    }
}
