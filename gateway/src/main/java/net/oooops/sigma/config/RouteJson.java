package net.oooops.sigma.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A route of which it is known where it is written. Where the same text was there before, and right, it is also known what it says: then its values are read
 * only when somebody asks for them, as to tell their places.
 */
final class RouteJson extends Json {
    /** Its depth in a file; one more than it is in a router that stands there alone. */
    static final int DEPTH = 4;

    /** Of the whole file. */
    private final String text;

    /** Null while it is read. */
    private @Nullable RouteText written;

    private @Nullable RouteConfig made;

    /** Null until somebody asks. */
    private @Nullable Map<String, Json> members;

    /** One that is to be read. */
    RouteJson(Anchor anchor, String text) {
        super(anchor, Kind.OBJECT, Map.of(), anchor.line(), anchor.column());
        this.text = text;
        this.members = LinkedHashMap.newLinkedHashMap(QuickReader.MEMBERS_USUAL);
    }

    /** One whose text is known. */
    RouteJson(Anchor anchor, String text, RouteText written) {
        super(anchor, Kind.OBJECT, Map.of(), anchor.line(), anchor.column());
        this.text = text;
        this.written = written;
    }

    /** What a route says, where its text was read before and found right; null where it has to be looked at. */
    static @Nullable RouteConfig known(Json route) {
        return route instanceof RouteJson read && read.written != null ? read.written.route() : null;
    }

    /** That was made of a route: whoever reads the same text again needs no other one. */
    static void made(Json route, RouteConfig config) {
        if (route instanceof RouteJson read) {
            read.made = config;
        }
    }

    /** It was read up to there. */
    void written(RouteText where) {
        written = where;
    }

    /** Whether somebody has asked for its values. */
    boolean isLookedAt() {
        return members != null;
    }

    @Override
    Map<String, Json> members() {
        Map<String, Json> there = members;
        if (there == null) {
            there = QuickReader.members(this, text, Objects.requireNonNull(written));
            members = there;
        }
        return there;
    }

    /**
     * Its text with what it says, where that is the text's alone: not where it has plugins, leads into another router or nowhere, or has variables in it. Null
     * there, and where nothing was made of it. One that was known is right whatever is warned of now: warnings about a route without plugins follow
     * from its own text alone, or are looked for at those that are known, too.
     *
     * @param warnings those about all of it
     */
    @Nullable RouteText right(Problems warnings) {
        RouteText where = written;
        if (where == null || where.route() != null) {
            return where;
        }
        boolean alone = made != null
                && get("plugin") == null
                && get("proxy-pass-id") != null
                && get(SubRouterCheck.KEY) == null
                && text.indexOf('$', where.start(), where.end()) < 0
                && text.indexOf('\\', where.start(), where.end()) < 0
                && (warnings.isEmpty() || !warnings.isWithin(this));
        return alone ? where.saying(Objects.requireNonNull(made)) : null;
    }
}
