package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.ask.FileAnswers;
import org.jspecify.annotations.Nullable;

/** Collects problems: of each value only the first, since the others mostly follow from it. */
final class Problems {

    /** Beyond, problems are only counted. */
    static final int KEPT_MAX = 1000;

    private final List<Problem> kept = new ArrayList<>();
    private final Set<Json> values = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Json> incomplete = Collections.newSetFromMap(new IdentityHashMap<>());
    private int omittedCount;
    private boolean unanswered;

    /** That this value is wrong. */
    void value(Json at, String found, String expected, @Nullable String nearest) {
        if (values.add(at)) {
            add(new Problem(at.place(), found, expected, at.isSecret() ? null : nearest));
        }
    }

    /**
     * That what this value names hasn't answered in time.
     *
     * @param found what it names
     */
    void unanswered(Json at, String found, FileAnswers.Unanswered why, String expected) {
        unanswered();
        value(at, found + ", which " + why.getReason(), expected, null);
    }

    /** That something hasn't answered in time: nothing is known of it, and with the same text there may be no problem soon. */
    void unanswered() {
        unanswered = true;
    }

    boolean isUnanswered() {
        return unanswered;
    }

    /** That what is wrong with this value is told elsewhere. */
    void told(Json at) {
        values.add(at);
    }

    void value(Json at, String expected) {
        value(at, at.shown(), expected, null);
    }

    /** That a text is not what it has to be, if so; anything but a text is passed over. */
    void text(@Nullable Json at, TextSyntax syntax) {
        if (at == null || !at.isText() || has(at)) {
            return;
        }
        try {
            syntax.check(at.text());
        } catch (UnfitException e) {
            value(at, at.shown(), e.expected(), e.nearest());
        }
    }

    void texts(List<Json> all, TextSyntax syntax) {
        for (Json each : all) {
            text(each, syntax);
        }
    }

    /** That the key of this value is wrong. */
    void key(Json at, String found, String expected, @Nullable String nearest) {
        if (values.add(at)) {
            add(new Problem(at.keyPlace(), found, expected, nearest));
        }
    }

    /** That an object lacks a key; it may lack others, too. */
    void missing(Json object, String key, String expected) {
        incomplete.add(object);
        add(new Problem(object.place(), "no key " + Json.quoted(key), expected, null));
    }

    void add(Problem problem) {
        if (kept.size() < KEPT_MAX) {
            kept.add(problem);
        } else {
            omittedCount++;
        }
    }

    /** All that the other has collected. */
    void addAll(Problems other) {
        for (Problem problem : other.kept) {
            add(problem);
        }
        omittedCount += other.omittedCount;
        unanswered |= other.unanswered;
        values.addAll(other.values);
    }

    /** Whether a problem with this value or its key is known. */
    boolean has(Json value) {
        return values.contains(value);
    }

    /** Whether a problem with this value or its key is known, or that it lacks a key. */
    boolean isAt(Json value) {
        return values.contains(value) || incomplete.contains(value);
    }

    /** Whether a problem with anything in this value is known. */
    boolean isWithin(Json value) {
        if (isAt(value)) {
            return true;
        }
        for (Json inner : value.kind() == Json.Kind.OBJECT ? value.members().values() : value.items()) {
            if (isWithin(inner)) {
                return true;
            }
        }
        return false;
    }

    boolean isEmpty() {
        return kept.isEmpty();
    }

    int omittedCount() {
        return omittedCount;
    }

    List<Problem> sorted() {
        return kept.isEmpty()
                ? List.of()
                : kept.stream().sorted(Problem.BY_PLACE).distinct().toList();
    }
}
