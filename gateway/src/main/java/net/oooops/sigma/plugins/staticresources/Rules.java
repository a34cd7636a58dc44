package net.oooops.sigma.plugins.staticresources;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Field;
import org.jspecify.annotations.Nullable;

/**
 * How files are given out.
 *
 * @param stripped what is cut from the beginning of paths; empty, or without a slash at its end
 * @param index names that are looked for in a directory, in this order
 * @param fallback the name of the file for people where nothing is found, or null
 * @param types media types
 * @param cacheControl by the end of the name; the empty one for all others
 * @param codings which are looked for beside a file, with the suffix of each
 * @param dotFiles whether names may begin with a dot
 * @param passes whether what isn't there goes on to the upstream
 * @param rangesMax how many ranges of one request are looked at
 * @param smallBytesMax what is no larger is kept in memory
 * @param refusals what is refused
 */
record Rules(
        Ascii stripped,
        List<String> index,
        @Nullable String fallback,
        MediaTypes types,
        Map<String, Field> cacheControl,
        List<Coding> codings,
        boolean dotFiles,
        boolean passes,
        int rangesMax,
        int smallBytesMax,
        Refusals refusals) {
    /**
     * A coding of contents.
     *
     * @param name as Content-Encoding has it
     * @param suffix of the file
     */
    record Coding(String name, String suffix) {}

    Rules {
        index = List.copyOf(index);
        cacheControl = Map.copyOf(cacheControl);
        codings = List.copyOf(codings);
    }

    /** What Cache-Control says of a file of that name: that of the longest end. */
    @Nullable Field cacheControlOf(String name) {
        String longest = "";
        for (String end : cacheControl.keySet()) {
            if (end.length() > longest.length() && name.endsWith(end)) {
                longest = end;
            }
        }
        return cacheControl.get(longest);
    }
}
