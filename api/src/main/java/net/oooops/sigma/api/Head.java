package net.oooops.sigma.api;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a request's or response's head. A view over the received bytes: a name or value becomes a String when it is
 * asked for, and edits are kept aside and applied as the head is written. Reads see the edits made so far.
 *
 * <p>Fields that frame the message or belong to one connection ({@link FieldName#isOfTheConnection}) can be read but not
 * edited. Valid until the exchange ends; called on the exchange's event loop, or from the virtual thread of a blocking
 * plugin while the exchange is parked for it.
 */
public interface Head {
    /** The first value of {@code name}, or null where there is none. */
    @Nullable String value(FieldName name);

    /** All values of {@code name} in their order; empty where there is none. */
    List<String> values(FieldName name);

    /** Whether there is a field {@code name}. Allocates nothing. */
    boolean has(FieldName name);

    /** All fields in their order, the edits applied. Allocates: for plugins that need them all. */
    List<String> names();

    /** Removes every field of that name, then adds this one. Allocates nothing. */
    void set(Field field);

    /** Adds a field after the others, whether or not one of that name exists. Allocates nothing. */
    void add(Field field);

    /**
     * Removes every field of that name. Allocates nothing.
     *
     * @throws IllegalArgumentException where Sigma alone writes that field
     */
    void remove(FieldName name);

    /**
     * Takes out every field of that name, and of any that reads the same where underscores are dashes: CGI and its like make one variable of them. For
     * fields that clients mustn't say.
     *
     * @throws IllegalArgumentException as {@link #remove}
     */
    default void removeAlike(FieldName name) {
        remove(name);
        for (String each : names()) {
            byte[] bytes = each.getBytes(StandardCharsets.ISO_8859_1);
            if (name.isReadFrom(bytes, 0, bytes.length)) {
                remove(FieldName.of(each));
            }
        }
    }
}
