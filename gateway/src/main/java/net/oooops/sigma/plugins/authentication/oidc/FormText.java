package net.oooops.sigma.plugins.authentication.oidc;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names and values as {@code application/x-www-form-urlencoded}, in bodies and in queries. */
final class FormText {
    private static final int COUNT_MAX = 50;

    private final StringBuilder text = new StringBuilder();

    /** Adds a pair. */
    FormText add(String name, String value) {
        text.append(text.isEmpty() ? "" : "&").append(encoded(name)).append('=').append(encoded(value));
        return this;
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** The pairs of a text; null where a name is there twice, so that readers may differ, one can't be decoded, or there are more than anybody needs. */
    static @Nullable Map<String, String> read(@Nullable String text) {
        Map<String, String> read = new HashMap<>();
        if (text == null || text.isEmpty()) {
            return read;
        }
        String[] pairs = text.split("&", COUNT_MAX + 1);
        if (pairs.length > COUNT_MAX) {
            return null;
        }
        try {
            for (String pair : pairs) {
                int equals = pair.indexOf('=');
                String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
                String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
                if (read.put(name, value) != null) {
                    return null;
                }
            }
        } catch (IllegalArgumentException e) {
            return null;
        }
        return read;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
