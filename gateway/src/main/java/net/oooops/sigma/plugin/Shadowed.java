package net.oooops.sigma.plugin;

import java.util.Locale;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Reason;
import org.jspecify.annotations.Nullable;

/**
 * What a plugin in shadow would have done.
 *
 * @param plugin its name
 * @param outcome of which kind that is
 * @param status what it would have answered; 0 where it wouldn't
 * @param reason why, or what, in a word; empty where it doesn't say
 * @param failure what it has failed with, or null
 */
public record Shadowed(
        String plugin,
        Kind outcome,
        int status,
        String reason,
        @Nullable Throwable failure) {
    /** What it comes to; {@code name()} in lower case is what metrics call it. */
    public enum Kind {
        /** It would have answered, in the place of a node. */
        ANSWER,
        /** It would have edited heads or bodies. */
        CHANGE,
        /** It would have done something else, which it names. */
        EFFECT,
        /** It would have refused a session. */
        REFUSAL,
        /** It has failed. */
        FAILURE,
        /** It gave no outcome within {@code timeouts.plugin}. */
        TIMEOUT,
        /** It wasn't shown the exchange: the body is too large for it, or of a length that isn't known, or too many plugins block. */
        UNSEEN
    }

    /** Something that is neither an answer nor a failure. */
    public static Shadowed of(String plugin, Kind outcome) {
        return new Shadowed(plugin, outcome, 0, "", null);
    }

    /** Something that it names. */
    static Shadowed effect(String plugin, String what) {
        return new Shadowed(plugin, Kind.EFFECT, 0, what, null);
    }

    static Shadowed answer(String plugin, Outcome.Respond respond) {
        Reason reason = respond.reason();
        return new Shadowed(
                plugin, Kind.ANSWER, respond.response().status(), reason == null ? "" : reason.word(), null);
    }

    /** Where it gives no reason, that is the fault. */
    static Shadowed answer(String plugin, Outcome.Refuse refuse) {
        Reason reason = refuse.reason();
        String word = reason == null ? refuse.fault().name().toLowerCase(Locale.ROOT) : reason.word();
        return new Shadowed(plugin, Kind.ANSWER, refuse.fault().status(), word, null);
    }

    /** It has failed with that. */
    public static Shadowed failure(String plugin, Throwable failure) {
        return new Shadowed(plugin, Kind.FAILURE, 0, "", failure);
    }

    /** As the access log has it, such as {@code shadow: ip-restriction: 403 address}; null where an exchange's line says nothing of it. */
    public @Nullable String text() {
        String what = switch (outcome) {
            case ANSWER -> reason.isEmpty() ? String.valueOf(status) : status + " " + reason;
            case EFFECT -> reason;
            case REFUSAL -> "refused";
            case FAILURE -> "failed";
            case TIMEOUT -> "no outcome in time";
            case UNSEEN -> "not shown";
            case CHANGE -> null;
        };
        return what == null ? null : "shadow: " + plugin + ": " + what;
    }
}
