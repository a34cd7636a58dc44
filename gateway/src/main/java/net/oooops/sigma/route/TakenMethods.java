package net.oooops.sigma.route;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.FieldName;

/**
 * The methods that routes take which say the same of them.
 *
 * @param names HEAD with GET; empty for every method
 * @param tokens the same, to be compared
 */
@SuppressWarnings("ArrayRecordComponent") // Not compared; a list would make an iterator for each request.
record TakenMethods(List<String> names, Ascii[] tokens) {
    private static final TakenMethods ALL = new TakenMethods(List.of(), new Ascii[0]);

    /**
     * Of a list as it is written.
     *
     * @throws IllegalArgumentException where one is no method
     */
    static TakenMethods of(List<String> written) {
        if (written.isEmpty()) {
            return ALL;
        }
        Set<String> names = new LinkedHashSet<>();
        for (String name : written) {
            if (!FieldName.isToken(name)) {
                throw new IllegalArgumentException("allow-method: " + name + " (expected: a method, such as GET)");
            }
            names.add(name);
            if (name.equals("GET")) {
                names.add("HEAD");
            }
        }
        return new TakenMethods(
                List.copyOf(names), names.stream().map(Ascii::of).toArray(Ascii[]::new));
    }
}
