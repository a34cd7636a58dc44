package net.oooops.sigma.route;

/** What a {@link CallRoutes} asks of a call of Bolt: bytes beside bytes, so that no text is made of them unless an expression wants one. */
public interface Call {
    /** Whether the class has that name. */
    boolean classIs(byte[] name);

    /** Whether the class's name begins like that. */
    boolean classBegins(byte[] prefix);

    /** Whether its header is a map of keys and values; without one, no condition on a key holds. */
    boolean hasMap();

    /** Whether its header has a value for that key: the value that the other questions are about from then on. */
    boolean seek(byte[] key);

    /** Whether that value is this. */
    boolean valueIs(byte[] value);

    /** Whether that value begins like this. */
    boolean valueBegins(byte[] prefix);

    /** That value as text. */
    String valueText();
}
