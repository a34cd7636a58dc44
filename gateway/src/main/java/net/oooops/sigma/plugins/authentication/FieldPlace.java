package net.oooops.sigma.plugins.authentication;

import java.util.List;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** A field of its own. */
record FieldPlace(FieldName name) implements CredentialPlace {
    @Override
    public @Nullable String read(RequestHead head) {
        if (!head.has(name)) {
            return null;
        }
        List<String> values = head.values(name);
        return values.size() == 1 ? values.getFirst() : UNREADABLE;
    }

    @Override
    public void hide(RequestHead head) {
        head.removeAlike(name);
    }
}
