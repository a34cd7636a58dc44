package net.oooops.sigma.api;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What the Connection field of a message names (RFC 9110 section 7.6.1): fields that are for its connection alone, and don't go on. */
public final class ConnectionOptions {
    private static final FieldName CONNECTION = FieldName.of("Connection");

    /** What can't be named away, as it is needed to deliver a message or to judge it. */
    private static final Set<String> END_TO_END = Set.of(
            "authorization",
            "client-cert",
            "client-cert-chain",
            "forwarded",
            "host",
            "via",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-port",
            "x-forwarded-prefix",
            "x-forwarded-proto");

    private static final String OF_CONSUMERS = "x-consumer-";

    private ConnectionOptions() {}

    /** The fields that it names, but for those that go on nevertheless; empty where it names none. */
    public static Set<FieldName> of(Head head) {
        List<String> values = head.values(CONNECTION);
        if (values.isEmpty()) {
            return Set.of();
        }
        Set<FieldName> named = new HashSet<>();
        for (String value : values) {
            for (String option : value.split(",", -1)) {
                String name = option.strip();
                if (FieldName.isToken(name) && !isEndToEnd(name.toLowerCase(Locale.ROOT))) {
                    named.add(FieldName.of(name));
                }
            }
        }
        return named;
    }

    private static boolean isEndToEnd(String lowerCase) {
        return END_TO_END.contains(lowerCase) || lowerCase.startsWith(OF_CONSUMERS);
    }
}
