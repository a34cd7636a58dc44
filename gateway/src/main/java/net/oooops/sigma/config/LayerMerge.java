package net.oooops.sigma.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lets what a later layer says take the place of what is there: object by object, and in arrays of things with ids thing by thing. */
final class LayerMerge {
    private LayerMerge() {}

    /** Moves all of an object into another one. */
    static void override(Json whole, Json layer) {
        for (Json member : List.copyOf(layer.members().values())) {
            Json before = whole.get(member.step());
            if (before == null) {
                hang(member, whole);
            } else if (areThings(before) && areThings(member) && !isOne(before, member)) {
                things(IncludeMerge.list(before), member);
            } else if (before.kind() == Json.Kind.OBJECT && member.kind() == Json.Kind.OBJECT) {
                override(before, member);
            } else {
                hang(member, whole);
            }
        }
    }

    private static void hang(Json member, Json whole) {
        member.moveTo(whole, member.step());
        whole.members().put(member.step(), member);
    }

    /** Whether it is a thing with an id, or some of them and nothing else. */
    private static boolean areThings(Json value) {
        List<Json> all = value.itemsOrSelf();
        return !all.isEmpty() && all.stream().allMatch(each -> IncludeMerge.id(each) != null);
    }

    private static boolean isOne(Json before, Json member) {
        return before.kind() == Json.Kind.OBJECT
                && member.kind() == Json.Kind.OBJECT
                && String.valueOf(IncludeMerge.id(before)).equals(IncludeMerge.id(member));
    }

    private static void things(Json list, Json layer) {
        for (Json thing : List.copyOf(layer.itemsOrSelf())) {
            Json before = of(list, String.valueOf(IncludeMerge.id(thing)));
            if (before == null) {
                IncludeMerge.append(list, thing);
            } else {
                override(before, thing);
            }
        }
    }

    private static @Nullable Json of(Json list, String id) {
        for (Json each : list.items()) {
            if (id.equals(IncludeMerge.id(each))) {
                return each;
            }
        }
        return null;
    }
}
