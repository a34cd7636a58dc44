package net.oooops.sigma.plugins.metadata;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Metadata;

/**
 * Which values nodes get, and in which fields: what all places so far have asked for.
 *
 * @param all in the order written
 */
record SentFields(List<SentField> all) {
    /** What a place leaves for those further in, which may have another value for the same key. */
    static final Key<SentFields> KEY = Key.of(SentFields.class, "metadata-fields");

    /** The value of a key in a field. */
    record SentField(String key, FieldName name) {}

    SentFields {
        all = List.copyOf(all);
    }

    /** These, and those of a place further in. */
    SentFields with(SentFields inner) {
        List<SentField> joined = new ArrayList<>(all);
        joined.removeAll(inner.all);
        joined.addAll(inner.all);
        return new SentFields(joined);
    }

    /** The fields for those of the values that are sent. */
    List<Field> of(Metadata values) {
        List<Field> fields = new ArrayList<>();
        for (SentField each : all) {
            String text = values.text(each.key);
            if (text != null && Field.isValue(text)) {
                fields.add(Field.of(each.name, text));
            }
        }
        return List.copyOf(fields);
    }

    /** The names of those whose value can't stand in a field, as a place further in has another one for the key: the outer one isn't to go on. */
    List<FieldName> withheld(Metadata values) {
        List<FieldName> names = new ArrayList<>();
        for (SentField each : all) {
            String text = values.text(each.key);
            if (text != null && !Field.isValue(text)) {
                names.add(each.name);
            }
        }
        return List.copyOf(names);
    }
}
