package net.oooops.sigma.config;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * What is meant by a key that isn't known at its place. First comes the same in another style, then what people write at that very place, then what a slip away from a key there is, beside
 * what people write anywhere; last what only looks like a key.
 *
 * @param nearest the key that is meant, of those known at the place
 * @param elsewhere in words, where Sigma has what the key says; where both are there, either may be meant
 */
record UnknownKey(@Nullable String nearest, @Nullable String elsewhere) {
    /** How many keys are listed beside the one that was probably meant. */
    private static final int LISTED_MAX = 6;

    private static final String OF_TRAEFIK =
            "at the top \"router\" for routers, \"proxy-pass\" and \"upstream\" for services, and \"plugin\" of a router or route for"
                    + " middlewares";

    /** @param known keys at the place of the member */
    static UnknownKey of(Json member, Collection<String> known, SchemaRefs refs) {
        String key = member.step();
        String styled = inOtherStyle(key, known);
        if (styled != null) {
            return new UnknownKey(styled, null);
        }
        Json holder = member.parent();
        String place = PlacedKey.place(holder == null ? "" : holder.pointer());
        if (place.isEmpty() && isOfTraefik(member)) {
            return new UnknownKey(null, OF_TRAEFIK);
        }
        String target = PlacedKey.at(key, place);
        String plugin = plugin(key, place, refs);
        if (target == null) {
            target = plugin == null ? PlacedKey.anywhere(key, place) : null;
        } else if (PlacedKey.here(target, place, known) == null) {
            return new UnknownKey(null, PlacedKey.words(target, place));
        }
        String here = target == null ? ForeignWord.keyHere(key, known) : PlacedKey.here(target, place, known);
        if (here != null) {
            return new UnknownKey(here, null);
        }
        String elsewhere = target == null ? elsewhere(key, place, plugin) : PlacedKey.words(target, place);
        return elsewhere == null
                ? new UnknownKey(Nearest.of(key, known), null)
                : new UnknownKey(Nearest.slip(key, known), elsewhere);
    }

    /** Whether it is where Traefik has routers and what they lead to. */
    private static boolean isOfTraefik(Json member) {
        return member.step().equals("http")
                && member.kind() == Json.Kind.OBJECT
                && (member.get("routers") != null || member.get("services") != null);
    }

    private static @Nullable String elsewhere(String key, String place, @Nullable String plugin) {
        if (plugin != null) {
            return Json.quoted(plugin) + " in \"plugin\" of a server, router, route or proxy-pass";
        }
        return PlacedKey.isHolder(place) ? ForeignWord.keyElsewhere(key) : null;
    }

    /** The plugin of that name, in any style, where none stands; null where there is none. */
    private static @Nullable String plugin(String key, String place, SchemaRefs refs) {
        boolean none = !PlacedKey.isHolder(place) || place.equals("/plugin");
        return none
                ? null
                : inOtherStyle(
                        key, refs.resolve("#/$defs/plugin/properties").members().keySet());
    }

    /** The name that a key is but for how its words are put together. */
    private static @Nullable String inOtherStyle(String key, Collection<String> known) {
        String plain = ForeignWord.plain(key);
        return known.stream()
                .filter(each -> ForeignWord.plain(each).equals(plain))
                .findFirst()
                .orElse(null);
    }

    /** What is expected in its place. */
    String expected(Json schema, Collection<String> known) {
        if (elsewhere == null) {
            return schema.text("x-expected-key", listed(known));
        }
        if (nearest != null) {
            return listed(known) + ", or " + elsewhere;
        }
        return known.isEmpty() || known.size() > LISTED_MAX ? elsewhere : elsewhere + "; here: " + listed(known);
    }

    private String listed(Collection<String> names) {
        if (nearest != null && names.size() > LISTED_MAX) {
            return "one of " + names.size() + " keys";
        }
        return names.isEmpty()
                ? "no keys"
                : String.join(", ", names.stream().map(Json::quoted).toList());
    }
}
