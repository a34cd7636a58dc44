package net.oooops.sigma.plugins.authentication;

import java.util.List;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/** The field Authorization with a scheme (RFC 9110 section 11.6.2), in any letter case. What is there with another scheme is somebody else's. */
record AuthorizationPlace(String scheme) implements CredentialPlace {
    private static final FieldName AUTHORIZATION = FieldName.of("Authorization");

    @Override
    public @Nullable String read(RequestHead head) {
        if (!head.has(AUTHORIZATION)) {
            return null;
        }
        List<String> values = head.values(AUTHORIZATION);
        if (values.size() == 1) {
            return ofScheme(values.getFirst());
        }
        for (String value : values) {
            if (ofScheme(value) != null) {
                return UNREADABLE;
            }
        }
        return null;
    }

    private @Nullable String ofScheme(String value) {
        int length = scheme.length();
        if (!value.regionMatches(true, 0, scheme, 0, length)
                || (value.length() > length && value.charAt(length) != ' ')) {
            return null;
        }
        int from = length;
        while (from < value.length() && value.charAt(from) == ' ') {
            from++;
        }
        return value.substring(from);
    }

    @Override
    public void hide(RequestHead head) {
        if (read(head) != null) {
            head.remove(AUTHORIZATION);
        }
    }
}
