package net.oooops.sigma.api;

/**
 * What a value is kept under that one plugin leaves with an {@link Exchange} and others find there. A constant: two keys are never the same,
 * whatever they are called.
 *
 * @param <T> the type of the value
 */
public final class Key<T> {
    /** The id of the request, where the plugin {@code request-id} gave it one. */
    public static final Key<String> REQUEST_ID = of(String.class, "request-id");

    /**
     * What sigma.json says of the Route, as far as the plugins {@code metadata} before have seen the request. What lies here at the end of the exchange is in
     * the JSON access log: a plugin that wants something there adds it ({@link Metadata#with}).
     */
    public static final Key<Metadata> METADATA = of(Metadata.class, "metadata");

    /**
     * True where all of the path was cut off, as a {@code sub-router} begins there: it is {@code /} now, without a slash that the client wrote. Whoever has
     * clients see a directory there sends them to the path with a slash.
     */
    public static final Key<Boolean> CUT_OFF = of(Boolean.class, "cut-off");

    private final Class<T> type;
    private final String name;

    private Key(Class<T> type, String name) {
        this.type = type;
        this.name = name;
    }

    /**
     * A new key.
     *
     * @param type of its values
     * @param name for messages
     */
    public static <T> Key<T> of(Class<T> type, String name) {
        return new Key<>(type, name);
    }

    /** The type of its values. */
    public Class<T> type() {
        return type;
    }

    @Override
    public String toString() {
        return name;
    }
}
