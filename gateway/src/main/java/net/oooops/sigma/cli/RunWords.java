package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.Sigma;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * What {@code sigma run} is told.
 *
 * @param verticle the main verticle's name
 * @param conf the files of the configuration in their order, none for the embedded one
 * @param options options.json, null for Vert.x's defaults
 * @param instances the number of Workers, null where it isn't said
 */
record RunWords(
        String verticle,
        List<Path> conf,
        @Nullable Path options,
        @Nullable Integer instances) {

    RunWords {
        conf = List.copyOf(conf);
    }

    /** The one verticle that there is. */
    static final String VERTICLE = Sigma.class.getName();

    private static final int DIGITS_MAX = 4;

    /**
     * Reads the words where they are as they should be, and returns null for all else: help that is asked for, words that are
     * wrong, spellings that are rare. Those are picocli's, which isn't used here because its classes can't be in the JDK's AOT
     * cache and would take more of the start than everything else.
     */
    static @Nullable RunWords plain(String[] words) {
        String verticle = null;
        List<Path> conf = new ArrayList<>();
        String options = null;
        String instances = null;
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (!word.startsWith("-") && verticle == null) {
                verticle = word;
                continue;
            }
            String value = ++i < words.length ? words[i] : "--";
            boolean named = word.equals("-conf") || word.equals("--conf");
            boolean twice = switch (word) {
                case "-conf", "--conf" -> false;
                case "-options", "--options" -> options != null;
                case "-instance", "-instances", "--instance", "--instances" -> instances != null;
                default -> true;
            };
            if (twice || (value.startsWith("-") && !(named && value.equals(Conf.INPUT)))) {
                return null;
            }
            switch (word.charAt(word.lastIndexOf('-') + 1)) {
                case 'c' -> conf.add(Path.of(value));
                case 'o' -> options = value;
                default -> instances = value;
            }
        }
        if (instances != null && !isNumber(instances)) {
            return null;
        }
        return new RunWords(
                verticle == null ? VERTICLE : verticle,
                conf,
                options == null ? null : Path.of(options),
                instances == null ? null : Integer.valueOf(instances));
    }

    /** What picocli understood. */
    static RunWords of(ParseResult words) {
        return new RunWords(
                words.matchedPositionalValue(0, VERTICLE),
                Conf.of(words),
                words.matchedOptionValue("-options", null),
                words.matchedOptionValue("-instance", null));
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= DIGITS_MAX && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
