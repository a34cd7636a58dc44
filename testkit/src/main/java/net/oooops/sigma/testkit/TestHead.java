package net.oooops.sigma.testkit;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import org.jspecify.annotations.Nullable;

/** The fields of a {@link TestExchange}'s head, kept as a list. Refuses what the gateway refuses. For one thread at a time. */
public abstract class TestHead implements Head {
    private record Line(FieldName name, String value) {}

    private final List<Line> lines = new ArrayList<>();

    /** Fields written {@code Name: value}; those that Sigma alone writes are allowed here, as they were received. */
    TestHead(String... fields) {
        for (String field : fields) {
            int colon = field.indexOf(':');
            if (colon < 0) {
                throw new IllegalArgumentException("\"" + field + "\" (expected: Name: value)");
            }
            FieldName name = FieldName.of(field.substring(0, colon));
            lines.add(new Line(name, field.substring(colon + 1).strip()));
        }
    }

    /** All fields in their order, each as {@code Name: value}. */
    public List<String> lines() {
        return lines.stream().map(line -> line.name() + ": " + line.value()).toList();
    }

    @Override
    public @Nullable String value(FieldName name) {
        List<String> values = values(name);
        return values.isEmpty() ? null : values.getFirst();
    }

    @Override
    public List<String> values(FieldName name) {
        return lines.stream()
                .filter(line -> line.name().equals(name))
                .map(Line::value)
                .toList();
    }

    @Override
    public boolean has(FieldName name) {
        return lines.stream().anyMatch(line -> line.name().equals(name));
    }

    @Override
    public List<String> names() {
        return lines.stream().map(line -> line.name().toString()).toList();
    }

    @Override
    public void set(Field field) {
        remove(field.name());
        add(field);
    }

    @Override
    public void add(Field field) {
        lines.add(new Line(field.name(), field.value()));
    }

    @Override
    public void remove(FieldName name) {
        if (name.isOfTheConnection()) {
            throw new IllegalArgumentException(name + " (expected: a field that a plugin may remove)");
        }
        lines.removeIf(line -> line.name().equals(name));
    }
}
