package net.oooops.sigma.http;

import net.oooops.sigma.api.FieldName;

/** Which methods a plugin may give a request. */
public final class GivenMethod {
    private static final int BYTES_MAX = 32;

    private GivenMethod() {}

    /**
     * Whether that may become the method.
     *
     * @param connect whether it is a CONNECT now
     * @param path its path, or {@code *}
     * @throws IllegalArgumentException where it may not
     * @throws IllegalStateException where none may
     */
    public static void check(String name, boolean connect, String path) {
        if (connect) {
            throw new IllegalStateException("the method of a CONNECT (expected: it stays)");
        }
        boolean token = FieldName.isToken(name) && name.length() <= BYTES_MAX;
        if (!token || name.equals("CONNECT") || name.equals("TRACE")) {
            throw new IllegalArgumentException("method: \"" + name + "\" (expected: a token of " + BYTES_MAX
                    + " characters at most, neither CONNECT nor TRACE)");
        }
        if (path.equals("*") && !name.equals("OPTIONS")) {
            throw new IllegalArgumentException("method: \"" + name + "\" (expected: OPTIONS, for the target *)");
        }
    }
}
