package net.oooops.sigma;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Copies of records of which tests want one component to be another. */
public final class ChangedRecord {
    private ChangedRecord() {}

    /** A copy of a record with one component changed; a number fits whatever kind of number the component is. */
    public static <R extends Record> R with(R from, String name, Object value) {
        RecordComponent[] components = from.getClass().getRecordComponents();
        @Nullable Object[] values = new Object[components.length];
        boolean found = false;
        try {
            for (int i = 0; i < components.length; i++) {
                boolean named = components[i].getName().equals(name);
                found |= named;
                values[i] = named
                        ? fit(value, components[i].getType())
                        : components[i].getAccessor().invoke(from);
            }
            if (!found) {
                throw new IllegalArgumentException(name + " (expected: a component of " + from.getClass() + ")");
            }
            Class<?>[] types =
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            @SuppressWarnings("unchecked") // the class of a value of type R
            Class<R> type = (Class<R>) from.getClass();
            return type.getConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a record without its canonical constructor", e);
        }
    }

    private static Object fit(Object value, Class<?> type) {
        if (value instanceof Number number) {
            return type == int.class ? (Object) Math.toIntExact(number.longValue()) : (Object) number.longValue();
        }
        return value;
    }
}
