package net.oooops.sigma.control.socket;

import java.util.Map;

/**
 * What who asked is told.
 *
 * @param text for people: whole lines
 * @param json for programs: a plain tree of {@code Map} with texts as keys, {@code List}, {@code String}, {@code Number}, {@code Boolean} and null
 */
public record Answer(String text, Map<String, ?> json) {
    /** One that says the same to both. */
    public static Answer of(String text) {
        return new Answer(text, Map.of("text", text.strip()));
    }
}
