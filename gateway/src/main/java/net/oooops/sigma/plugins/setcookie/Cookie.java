package net.oooops.sigma.plugins.setcookie;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value of Set-Cookie, read as browsers do (RFC 6265 section 5.2, and as they have since agreed: draft-ietf-httpbis-rfc6265bis): of several attributes of a name the last one counts. What isn't changed stays as
 * it is written. For one value.
 */
final class Cookie {
    private final String pair;
    private final String name;
    /** As they are written, without the semicolons. */
    private final List<String> attributes;

    private boolean isChanged;

    private Cookie(String pair, String name, List<String> attributes) {
        this.pair = pair;
        this.name = name;
        this.attributes = attributes;
    }

    /** The cookie that is written there; null where browsers see none. */
    static @Nullable Cookie of(String value) {
        int end = value.indexOf(';');
        String pair = end < 0 ? value : value.substring(0, end);
        String bare = pair.strip();
        if (bare.isEmpty() || bare.equals("=")) {
            return null;
        }
        // Without one browsers keep it as the value of a cookie without a name.
        int equals = pair.indexOf('=');
        List<String> attributes = new ArrayList<>();
        while (end >= 0) {
            int next = value.indexOf(';', end + 1);
            attributes.add(value.substring(end + 1, next < 0 ? value.length() : next));
            end = next;
        }
        return new Cookie(pair, equals < 0 ? "" : pair.substring(0, equals).strip(), attributes);
    }

    String name() {
        return name;
    }

    boolean isChanged() {
        return isChanged;
    }

    void apply(Rule rule) {
        flag("Secure", rule.secure());
        flag("HttpOnly", rule.httpOnly());
        if (rule.sameSite() != null) {
            replace("SameSite", rule.sameSite());
        }
        String path = value("Path");
        String newPath = path == null ? null : rule.path(path);
        if (newPath != null) {
            replace("Path", newPath);
        }
        String domain = value("Domain");
        String newDomain = domain == null || domain.isEmpty() ? null : rule.domain(domain);
        if (newDomain != null && newDomain.isEmpty()) {
            remove("Domain");
        } else if (newDomain != null) {
            replace("Domain", newDomain);
        }
    }

    private void flag(String attribute, @Nullable Boolean wanted) {
        if (wanted == null || wanted == (value(attribute) != null)) {
            return;
        }
        if (wanted) {
            attributes.add(" " + attribute);
            isChanged = true;
        } else {
            remove(attribute);
        }
    }

    private void replace(String attribute, String value) {
        if (value.equals(value(attribute))) {
            return;
        }
        remove(attribute);
        attributes.add(" " + attribute + "=" + value);
        isChanged = true;
    }

    private void remove(String attribute) {
        isChanged |= attributes.removeIf(each -> isNamed(each, attribute));
    }

    /** The value of the last attribute of that name; null where there is none. */
    private @Nullable String value(String attribute) {
        for (int i = attributes.size() - 1; i >= 0; i--) {
            String each = attributes.get(i);
            if (isNamed(each, attribute)) {
                int equals = each.indexOf('=');
                return equals < 0 ? "" : each.substring(equals + 1).strip();
            }
        }
        return null;
    }

    private static boolean isNamed(String written, String attribute) {
        int equals = written.indexOf('=');
        String name = equals < 0 ? written : written.substring(0, equals);
        return name.strip().equalsIgnoreCase(attribute);
    }

    /** The value to write. */
    String text() {
        StringBuilder text = new StringBuilder(pair);
        attributes.forEach(each -> text.append(';').append(each));
        return text.toString().strip();
    }
}
