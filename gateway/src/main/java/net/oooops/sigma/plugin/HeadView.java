package net.oooops.sigma.plugin;

import java.util.List;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import org.jspecify.annotations.Nullable;

/** A head as plugins see it: another one, which is asked for with each call and may not be there any more. */
public abstract class HeadView<H extends Head> implements Head {
    /** For those that say which head it is. */
    protected HeadView() {}

    /**
     * The head that is shown.
     *
     * @throws IllegalStateException where it may not be seen any more
     */
    protected abstract H head();

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
