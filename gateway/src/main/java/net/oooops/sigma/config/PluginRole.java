package net.oooops.sigma.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a plugin does with requests, as its schema says with {@link #KEYWORD}: whether the order in which plugins stand can be right goes by that. */
enum PluginRole {
    /** It finds out whom a request is from, and refuses those of nobody unless its setting {@code optional} is true. */
    FINDS_CONSUMER,
    /** It sees requests, where its settings have it see any, and finds out for none whom it is from. */
    SEES_REQUESTS,
    /** It sees responses alone, at which all is known that plugins of the request have found. */
    SEES_RESPONSES,
    /** Nothing is said: it may do any of that. */
    UNKNOWN;

    static final String KEYWORD = "x-role";
    /** Whether it may answer what isn't to be refused, have another page in the place of an answer, or send requests elsewhere. */
    static final String ANSWERS = "x-answers";

    private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The role that a plugin's schema says. */
    static PluginRole of(@Nullable Json schema) {
        String said = schema == null ? "" : schema.text(KEYWORD, "");
        for (PluginRole each : values()) {
            if (each.word.equals(said)) {
                return each;
            }
        }
        return UNKNOWN;
    }

    /** @throws IllegalArgumentException where a value of the keyword is none of the roles */
    static void require(Json said) {
        boolean known = Arrays.stream(values()).anyMatch(each -> each != UNKNOWN && each.word.equals(said.text()));
        if (!known) {
            String words = Arrays.stream(values())
                    .filter(each -> each != UNKNOWN)
                    .map(each -> each.word)
                    .collect(Collectors.joining(", "));
            throw new IllegalArgumentException(
                    said.pointer() + ": " + said.shown() + " (expected: one of " + words + ")");
        }
    }

    boolean findsConsumer() {
        return this == FINDS_CONSUMER;
    }

    boolean mayFindConsumer() {
        return this == FINDS_CONSUMER || this == UNKNOWN;
    }

    /** Whether it is sure to see requests, where its settings have it see any. */
    boolean seesRequests() {
        return this == FINDS_CONSUMER || this == SEES_REQUESTS;
    }
}
