package net.oooops.sigma.plugins.rewritepath;

import org.jspecify.annotations.Nullable;

/**
 * A path as routes are matched with it: without the parameters of its segments, {@code ;v=1}. Places in it lead back to the whole path,
 * where parameters belong to what stands before them. For one match.
 */
final class BarePath {
    private final String whole;
    private final String bare;
    /** The place in the whole path of each character; null where both are the same. */
    private final int @Nullable [] places;

    private BarePath(String whole, String bare, int @Nullable [] places) {
        this.whole = whole;
        this.bare = bare;
        this.places = places;
    }

    /** {@code path} as it is. */
    static BarePath whole(String path) {
        return new BarePath(path, path, null);
    }

    /** {@code path} without parameters. */
    static BarePath of(String path) {
        if (path.indexOf(';') < 0) {
            return whole(path);
        }
        StringBuilder bare = new StringBuilder(path.length());
        int[] places = new int[path.length()];
        boolean inParameters = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            inParameters = c == ';' || (inParameters && c != '/');
            if (!inParameters) {
                places[bare.length()] = i;
                bare.append(c);
            }
        }
        return new BarePath(path, bare.toString(), places);
    }

    /** What is matched. */
    String text() {
        return bare;
    }

    /** The whole path. */
    String path() {
        return whole;
    }

    /** The place in the whole path of place {@code at} of what is matched, its end included. */
    int place(int at) {
        if (places == null) {
            return at;
        }
        return at == bare.length() ? whole.length() : places[at];
    }
}
