package net.oooops.sigma.cli;

import java.nio.file.Path;
import net.oooops.sigma.Sigma;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * What {@code sigma run} is told.
 *
 * @param verticle the main verticle's name
 * @param conf sigma.json, null for the embedded one
 * @param options options.json, null for Vert.x's defaults
 * @param instances the number of Workers, null where it isn't said
 * @param runDir the folder of the socket, null for the usual one
 */
record RunWords(
        String verticle,
        @Nullable Path conf,
        @Nullable Path options,
        @Nullable Integer instances,
        @Nullable Path runDir) {

    /** The one verticle that there is. */
    static final String VERTICLE = Sigma.class.getName();

    private static final int DIGITS_MAX = 4;

    /** With the usual folder. */
    RunWords(String verticle, @Nullable Path conf, @Nullable Path options, @Nullable Integer instances) {
        this(verticle, conf, options, instances, null);
    }

    /**
     * Reads the words where they are as they should be, and returns null for all else: help that is asked for, words that are
     * wrong, spellings that are rare. Those are picocli's, which isn't used here because its classes can't be in the JDK's AOT
     * cache and would take more of the start than everything else.
     */
    static @Nullable RunWords plain(String[] words) {
        String verticle = null;
        String conf = null;
        String options = null;
        String instances = null;
        String runDir = null;
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (!word.startsWith("-") && verticle == null) {
                verticle = word;
                continue;
            }
            String value = ++i < words.length ? words[i] : "-";
            boolean twice = switch (word) {
                case "-conf", "--conf" -> conf != null;
                case "-options", "--options" -> options != null;
                case "-instance", "-instances", "--instance", "--instances" -> instances != null;
                case "-run-dir", "--run-dir" -> runDir != null;
                default -> true;
            };
            if (twice || value.startsWith("-")) {
                return null;
            }
            switch (word.charAt(word.lastIndexOf('-') + 1)) {
                case 'c' -> conf = value;
                case 'o' -> options = value;
                case 'd' -> runDir = value;
                default -> instances = value;
            }
        }
        if (instances != null && !isNumber(instances)) {
            return null;
        }
        return new RunWords(
                verticle == null ? VERTICLE : verticle,
                conf == null ? null : Path.of(conf),
                options == null ? null : Path.of(options),
                instances == null ? null : Integer.valueOf(instances),
                runDir == null ? null : Path.of(runDir));
    }

    /** What picocli understood. */
    static RunWords of(ParseResult words) {
        return new RunWords(
                words.matchedPositionalValue(0, VERTICLE),
                words.matchedOptionValue("-conf", null),
                words.matchedOptionValue("-options", null),
                words.matchedOptionValue("-instance", null),
                words.matchedOptionValue("-run-dir", null));
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= DIGITS_MAX && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
