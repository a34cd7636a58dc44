package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Adds what a file says that is included to what the one says that includes it. Nothing takes the place of anything. */
final class IncludeMerge {
    private static final String SCHEMA = "$schema";

    private IncludeMerge() {}

    /** Moves all of an object into another one: arrays are made longer, objects merged; any other value may be given twice, but not with two values. */
    static void add(Json whole, Json part, Problems problems) {
        for (Json member : List.copyOf(part.members().values())) {
            Json before = whole.get(member.step());
            if (before == null) {
                member.moveTo(whole, member.step());
                whole.members().put(member.step(), member);
            } else if (isList(before, member)) {
                append(list(before), member);
            } else if (before.kind() == Json.Kind.OBJECT && member.kind() == Json.Kind.OBJECT) {
                add(before, member, problems);
            } else if (!member.step().equals(SCHEMA) && !Objects.equals(before.plain(), member.plain())) {
                String where = before.source().shownName() + ":" + before.line() + ":" + before.column();
                problems.value(member, member.shown(), before.shown() + ", as " + where + " says", null);
            }
        }
    }

    /** Whether two values are a list together: one is, or they are things with two ids. */
    private static boolean isList(Json before, Json member) {
        boolean objects = before.kind() == Json.Kind.OBJECT && member.kind() == Json.Kind.OBJECT;
        boolean arrays = before.kind() == Json.Kind.ARRAY || member.kind() == Json.Kind.ARRAY;
        return objects ? !Objects.equals(id(before), id(member)) : arrays && isMany(before) && isMany(member);
    }

    private static boolean isMany(Json value) {
        return value.kind() == Json.Kind.ARRAY || value.kind() == Json.Kind.OBJECT;
    }

    static @Nullable String id(Json value) {
        Json id = value.get("id");
        return id == null || !id.isText() ? null : id.text();
    }

    /** The value as a list that stands in its place, if it isn't one. */
    static Json list(Json value) {
        if (value.kind() == Json.Kind.ARRAY) {
            return value;
        }
        List<Json> items = new ArrayList<>();
        Json list = value.with(Json.Kind.ARRAY, items);
        value.replaceWith(list);
        append(list, value);
        return list;
    }

    static void append(Json list, Json value) {
        for (Json item : value.itemsOrSelf()) {
            item.moveTo(list, Integer.toString(list.items().size()));
            list.items().add(item);
        }
    }
}
