package net.oooops.sigma.proxy;

import java.util.List;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** What nodes are told of a {@link Consumer}. */
public final class ConsumerFields {
    private ConsumerFields() {}

    /** Writes what nodes are told of {@code found}, in the place of what was written of {@code before}, where there was one. */
    public static void tell(RequestHead head, @Nullable Consumer before, Consumer found) {
        if (before != null) {
            List<Field> old = before.fields();
            for (int i = 0; i < old.size(); i++) {
                head.remove(old.get(i).name());
            }
        }
        head.set(found.idField());
        List<Field> fields = found.fields();
        for (int i = 0; i < fields.size(); i++) {
            head.set(fields.get(i));
        }
    }
}
