package net.oooops.sigma.plugins.authentication;

import java.util.List;
import net.oooops.sigma.api.CookieName;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** A cookie, in one field or, with HTTP/2, in several. */
record CookiePlace(CookieName name) implements CredentialPlace {
    @Override
    public @Nullable String read(RequestHead head) {
        List<String> values = head.cookies(name);
        if (values.isEmpty()) {
            return null;
        }
        String content = values.size() == 1 ? CookieName.content(values.getFirst()) : null;
        return content == null ? UNREADABLE : content;
    }

    /** The other cookies stay, in one field. */
    @Override
    public void hide(RequestHead head) {
        if (head.cookies(name).isEmpty()) {
            return;
        }
        StringBuilder left = new StringBuilder();
        for (String field : head.values(CookieName.FIELD)) {
            String others = name.without(field);
            left.append(left.isEmpty() || others.isEmpty() ? "" : "; ").append(others);
        }
        if (left.isEmpty()) {
            head.remove(CookieName.FIELD);
        } else {
            head.set(Field.of(CookieName.FIELD, left.toString()));
        }
    }
}
