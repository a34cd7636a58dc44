package net.oooops.sigma.plugin;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import org.jspecify.annotations.Nullable;

/** A head whose edits stay here: reads see them, and nobody else does. */
abstract class ShadowHead<H extends Head> implements Head {
    private final H real;
    private final List<FieldName> removed = new ArrayList<>(0);
    private final List<Field> added = new ArrayList<>(0);
    private boolean edited;

    ShadowHead(H real) {
        this.real = real;
    }

    /** What it lies over. */
    final H real() {
        return real;
    }

    /** Something is edited. */
    final void edit() {
        edited = true;
    }

    /** Whether anything was edited since this was asked last. */
    final boolean takeEdited() {
        boolean was = edited;
        edited = false;
        return was;
    }

    @Override
    public final @Nullable String value(FieldName name) {
        String value = removed.contains(name) ? null : real.value(name);
        if (value != null) {
            return value;
        }
        for (Field field : added) {
            if (field.name().equals(name)) {
                return field.value();
            }
        }
        return null;
    }

    @Override
    public final List<String> values(FieldName name) {
        List<String> values = new ArrayList<>(removed.contains(name) ? List.of() : real.values(name));
        for (Field field : added) {
            if (field.name().equals(name)) {
                values.add(field.value());
            }
        }
        return values;
    }

    @Override
    public final boolean has(FieldName name) {
        return value(name) != null;
    }

    @Override
    public final List<String> names() {
        Set<FieldName> names = new LinkedHashSet<>();
        real.names().forEach(name -> names.add(FieldName.of(name)));
        removed.forEach(names::remove);
        added.forEach(field -> names.add(field.name()));
        return names.stream().map(FieldName::toString).toList();
    }

    @Override
    public final void set(Field field) {
        remove(field.name());
        add(field);
    }

    @Override
    public final void add(Field field) {
        edit();
        added.add(field);
    }

    @Override
    public final void remove(FieldName name) {
        if (name.isOfTheConnection()) {
            throw new IllegalArgumentException(name + " (expected: a field that a plugin may edit)");
        }
        edit();
        added.removeIf(field -> field.name().equals(name));
        if (!removed.contains(name)) {
            removed.add(name);
        }
    }
}
