package net.oooops.sigma.proxy;

import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import org.jspecify.annotations.Nullable;

/** A head as plugins see it, as long as the {@link PluginView} that it belongs to isn't revoked. */
abstract class HeadView<H extends Head> implements Head {
    private final PluginView of;
    private final H head;

    HeadView(PluginView of, H head) {
        this.of = of;
        this.head = head;
    }

    /** That it belongs to. */
    final PluginView of() {
        return of;
    }

    /** @throws IllegalStateException once it is revoked */
    final H head() {
        of.check();
        return head;
    }

    @Override
    public final @Nullable String value(FieldName name) {
        return head().value(name);
    }

    @Override
    public final List<String> values(FieldName name) {
        return head().values(name);
    }

    @Override
    public final boolean has(FieldName name) {
        return head().has(name);
    }

    @Override
    public final void removeAlike(FieldName name) {
        head().removeAlike(name);
    }

    @Override
    public final List<String> names() {
        return head().names();
    }

    @Override
    public final void set(Field field) {
        head().set(field);
    }

    @Override
    public final void add(Field field) {
        head().add(field);
    }

    @Override
    public final void remove(FieldName name) {
        head().remove(name);
    }
}
