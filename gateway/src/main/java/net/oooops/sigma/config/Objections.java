package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.Json.Kind;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * All that a plugin objects to in its settings at one place. A plugin says one thing at a time, so it is asked again without
 * what it has objected to, as long as that is one of several alike: an element of an array, or an entry of an object whose keys
 * are the user's. What it then says of another of these is true of the whole as well. Settings that have names depend on each
 * other: one that may be left out is, too, but what the plugin says of another one then is only believed where it says so of
 * that value by itself.
 */
final class Objections {
    /** So often a plugin is asked about the same settings. */
    private static final int ASKED_MAX = 100;

    private final PluginTrial trial;
    private final SchemaSteps steps;
    private final Problems problems;
    private final Json settings;
    private final Set<Json> leftOut = Collections.newSetFromMap(new IdentityHashMap<>());

    Objections(PluginTrial trial, SchemaSteps steps, Problems problems, Json settings) {
        this.trial = trial;
        this.steps = steps;
        this.problems = problems;
        this.settings = settings;
    }

    /**
     * Has them told. What the schema has something against is left out, too; where that can't be, the plugin isn't asked. Where it is never
     * content the condition on which it acts, which is looked at last, is looked at by itself.
     */
    void collect(Protocol protocol) {
        boolean content = leaveOutFaults(settings) && isContent(protocol);
        Json when = content ? null : settings.get(PluginFrame.WHEN);
        if (when == null || problems.isAt(when) || !settings.flag("enable", true)) {
            return;
        }
        try {
            trial.takeCondition(when.text());
        } catch (SettingsException e) {
            tell(when, e);
        }
    }

    /** Whether the plugin has nothing more to object to. */
    private boolean isContent(Protocol protocol) {
        for (int asked = 0; asked < ASKED_MAX; asked++) {
            try {
                trial.take(settings.step(), leftOut.isEmpty() ? settings.plain() : plain(settings), protocol);
                return true;
            } catch (SettingsException e) {
                Json at = at(e.pointer());
                if (!isBesideAllLeftOut(at) && !(e.isOfItself() && isWhole(at))) {
                    return false;
                }
                tell(at, e);
                if (!leaveOut(at)) {
                    return false;
                }
            }
        }
        return false;
    }

    /** Plugins know of no secrets, and may show a part of one. */
    private void tell(Json at, SettingsException objection) {
        problems.value(at, at.holdsSecrets() ? at.shown() : objection.found(), objection.expected(), null);
    }

    private boolean leaveOutFaults(Json value) {
        if (isLeftOut(value)) {
            return true;
        }
        if (problems.isAt(value)) {
            return leaveOut(value);
        }
        for (Json inner : inner(value)) {
            if (!leaveOutFaults(inner)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a value, or one that it is in, is left out. */
    private boolean isLeftOut(Json value) {
        for (Json at = value; at != settings; at = parent(at)) {
            if (leftOut.contains(at)) {
                return true;
            }
        }
        return false;
    }

    /** Leaves the least out that a value is in and that has others beside it, or else what is optional; returns whether there is such. */
    private boolean leaveOut(Json value) {
        for (Json at = value; at != settings; at = parent(at)) {
            Json in = parent(at);
            if (isOneOfAlike(at) && seen(in).stream().anyMatch(other -> !problems.isWithin(other))) {
                return leftOut.add(at);
            }
        }
        for (Json at = value; at != settings; at = parent(at)) {
            if (isOptional(at)) {
                return leftOut.add(at);
            }
        }
        return false;
    }

    /** Whether a value stands under a key that the schema, and none of its alternatives, wants to be there. */
    private boolean isOptional(Json value) {
        Json in = parent(value);
        return in.kind() == Kind.OBJECT
                && steps.all(steps.of(in)).stream()
                        .flatMap(schema -> schema.itemsOf("required").stream())
                        .noneMatch(required -> required.text().equals(value.step()));
    }

    /** Whether the plugin has seen all of a value. */
    private boolean isWhole(Json value) {
        return leftOut.stream().noneMatch(out -> out == value || isIn(out, value));
    }

    /** Whether a value is an element of an array, or stands under a key of the user's own. */
    private boolean isOneOfAlike(Json value) {
        Json in = parent(value);
        if (in.kind() == Kind.ARRAY) {
            return true;
        }
        boolean named = steps.all(steps.of(in)).stream().anyMatch(schema -> {
            Json properties = schema.get("properties");
            return properties != null && properties.get(value.step()) != null;
        });
        // A key that nobody knows may be meant for one that is named.
        return !named && !steps.isUnknown(value);
    }

    /** Whether a value parts from all that is left out where things are alike. */
    private boolean isBesideAllLeftOut(Json value) {
        for (Json out : leftOut) {
            Json at = out;
            while (at != settings && !isIn(value, parent(at))) {
                at = parent(at);
            }
            if (at == settings || value == parent(at) || !isOneOfAlike(at)) {
                return false;
            }
        }
        return true;
    }

    private boolean isIn(Json value, Json outer) {
        for (Json at = value; at != settings; at = parent(at)) {
            if (at == outer) {
                return true;
            }
        }
        return outer == settings;
    }

    private Json parent(Json inner) {
        Json parent = inner.parent();
        return parent == null ? settings : parent;
    }

    /** What a pointer of the plugin's leads to, or the nearest value on the way; the plugin hasn't seen what is left out. */
    private Json at(String pointer) {
        Json at = settings;
        String[] path = pointer.split("/", -1);
        for (int i = 1; i < path.length; i++) {
            Json next = child(at, path[i].replace("~1", "/").replace("~0", "~"));
            if (next == null) {
                return at;
            }
            at = next;
        }
        return at;
    }

    private @Nullable Json child(Json value, String step) {
        if (value.kind() != Kind.ARRAY) {
            return value.get(step);
        }
        List<Json> items = seen(value);
        for (int i = 0; i < items.size(); i++) {
            if (step.equals(String.valueOf(i))) {
                return items.get(i);
            }
        }
        return null;
    }

    private List<Json> seen(Json value) {
        return inner(value).stream().filter(each -> !leftOut.contains(each)).toList();
    }

    private static List<Json> inner(Json value) {
        return value.kind() == Kind.OBJECT ? List.copyOf(value.members().values()) : value.items();
    }

    private @Nullable Object plain(Json value) {
        return switch (value.kind()) {
            case OBJECT -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                seen(value).forEach(member -> map.put(member.step(), plain(member)));
                yield Collections.unmodifiableMap(map);
            }
            case ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                seen(value).forEach(item -> list.add(plain(item)));
                yield Collections.unmodifiableList(list);
            }
            default -> value.plain();
        };
    }
}
