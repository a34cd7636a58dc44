package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.route.Call;
import org.jspecify.annotations.Nullable;

/** The call of Bolt that {@code sigma explain} is asked about. */
final class AskedCall implements Call {
    private static final String SCHEME = "bolt://";

    /** A key of the header and its value. */
    private record Pair(String key, String value) {}

    private final String authority;
    private final int port;
    private final String className;
    private final List<Pair> header = new ArrayList<>();
    private byte[] value = {};

    private AskedCall(String authority, int port, String className) {
        this.authority = authority;
        this.port = port;
        this.className = className;
    }

    /** Takes what was typed apart; null where it isn't about Bolt. */
    static @Nullable AskedCall of(String method, String url, List<String> fields) throws Failure {
        if (!url.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return null;
        }
        if (!method.equals("CALL")) {
            throw new Failure(Exit.USAGE, "METHOD: " + method + " (expected: CALL with a bolt:// URL)");
        }
        String rest = url.substring(SCHEME.length());
        int slash = rest.indexOf('/');
        String authority = slash < 0 ? rest : rest.substring(0, slash);
        int port;
        try {
            port = Integer.parseInt(authority.substring(authority.lastIndexOf(':') + 1));
        } catch (NumberFormatException _) {
            throw new Failure(Exit.USAGE, "URL: " + url + " (expected: bolt://host:port/class.Name)");
        }
        AskedCall asked = new AskedCall(authority, port, slash < 0 ? "" : rest.substring(slash + 1));
        for (String field : fields) {
            int colon = field.indexOf(':');
            if (colon <= 0) {
                throw new Failure(Exit.USAGE, "-H: " + field + " (expected: 'key: value')");
            }
            String text = field.substring(colon + 1);
            asked.header.add(new Pair(field.substring(0, colon), text.strip()));
        }
        return asked;
    }

    String authority() {
        return authority;
    }

    int port() {
        return port;
    }

    String className() {
        return className;
    }

    @Override
    public boolean classIs(byte[] name) {
        return Arrays.equals(className.getBytes(UTF_8), name);
    }

    @Override
    public boolean classBegins(byte[] prefix) {
        return begins(className.getBytes(UTF_8), prefix);
    }

    private static boolean begins(byte[] whole, byte[] prefix) {
        return whole.length >= prefix.length && Arrays.equals(whole, 0, prefix.length, prefix, 0, prefix.length);
    }

    @Override
    public boolean hasMap() {
        return true;
    }

    @Override
    public boolean seek(byte[] key) {
        boolean found = false;
        for (Pair each : header) {
            if (Arrays.equals(each.key.getBytes(UTF_8), key)) {
                found = true;
                value = each.value.getBytes(UTF_8);
            }
        }
        return found;
    }

    @Override
    public boolean valueIs(byte[] expected) {
        return Arrays.equals(value, expected);
    }

    @Override
    public boolean valueBegins(byte[] prefix) {
        return begins(value, prefix);
    }

    @Override
    public String valueText() {
        return new String(value, UTF_8);
    }
}
