package net.oooops.sigma.api;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the Connection field of a message names (RFC 9110 section 7.6.1): fields that are for its connection alone, and don't go on. */
public final class ConnectionOptions {
    private static final FieldName CONNECTION = FieldName.of("Connection");

    private ConnectionOptions() {}

    /** The fields that it names; empty where it names none. */
    public static Set<FieldName> of(Head head) {
        List<String> values = head.values(CONNECTION);
        if (values.isEmpty()) {
            return Set.of();
        }
        Set<FieldName> named = new HashSet<>();
        for (String value : values) {
            for (String option : value.split(",", -1)) {
                if (FieldName.isToken(option.strip())) {
                    named.add(FieldName.of(option.strip()));
                }
            }
        }
        return named;
    }
}
