package net.oooops.sigma.config.changes;

import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import net.oooops.sigma.config.SigmaConfig;
import org.jspecify.annotations.Nullable;

/** Copies of a configuration in each of which one thing is another, for every thing in it that there is. */
final class Mutations {
    /** Where something stands in the file is nothing of what it says. */
    private static final Set<String> PLACES = Set.of("place", "pointer");

    private Mutations() {}

    /** By the path of what is another. */
    static Map<String, SigmaConfig> all(SigmaConfig config) {
        Map<String, SigmaConfig> all = new LinkedHashMap<>();
        of(config).forEach((path, copy) -> all.put(path, (SigmaConfig) copy));
        return all;
    }

    private static Map<String, Object> of(@Nullable Object value) {
        return switch (value) {
            case null -> Map.of();
            case Record record -> ofRecord(record);
            case List<?> list -> ofList(list);
            case Map<?, ?> map -> map.isEmpty() ? Map.of() : Map.of("", Map.of());
            case Boolean flag -> Map.of("", !flag);
            case Integer number -> Map.of("", number == Integer.MAX_VALUE ? 1 : number + 1);
            case Long number -> Map.of("", number == Long.MAX_VALUE ? 1L : number + 1);
            case Double number -> Map.of("", number + 1);
            case String text -> Map.of("", text + "x");
            case Enum<?> constant -> Map.of("", next(constant));
            case Path path -> Map.of("", path.resolveSibling("other"));
            case SecretKey key -> Map.of("", new SecretKeySpec(new byte[] {1, 2, 3}, key.getAlgorithm()));
            default -> Map.of();
        };
    }

    private static Object next(Enum<?> constant) {
        Object[] all = constant.getDeclaringClass().getEnumConstants();
        return all[(constant.ordinal() + 1) % all.length];
    }

    private static Map<String, Object> ofList(List<?> list) {
        Map<String, Object> all = new LinkedHashMap<>();
        if (!list.isEmpty()) {
            all.put("[less]", list.subList(0, list.size() - 1));
        }
        for (int i = 0; i < list.size(); i++) {
            int at = i;
            of(list.get(i)).forEach((path, item) -> {
                List<Object> copy = new ArrayList<>(list);
                copy.set(at, item);
                all.put("[" + at + "]" + path, List.copyOf(copy));
            });
        }
        return all;
    }

    private static Map<String, Object> ofRecord(Record record) {
        Map<String, Object> all = new LinkedHashMap<>();
        RecordComponent[] components = record.getClass().getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            int at = i;
            String name = components[i].getName();
            if (PLACES.contains(name)) {
                continue;
            }
            of(component(record, components[i])).forEach((path, value) -> {
                Object copy = copy(record, components, at, value);
                if (copy != null) {
                    all.put("." + name + path, copy);
                }
            });
        }
        return all;
    }

    private static @Nullable Object component(Record record, RecordComponent component) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a record whose component cannot be read", e);
        }
    }

    /** The record with one component changed; null where it doesn't take that. */
    private static @Nullable Object copy(Record record, RecordComponent[] components, int changed, Object value) {
        @Nullable Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            values[i] = i == changed ? value : component(record, components[i]);
        }
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            return record.getClass().getConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
