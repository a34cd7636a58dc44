package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.Sigma;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/**
 * What {@code sigma run} is told.
 *
 * @param verticle the main verticle's name
 * @param conf the files of the configuration in their order, none for the embedded one
 * @param options options.json, null for Vert.x's defaults
 * @param instances the number of Workers, null where it isn't said
 * @param runDir the folder of the socket, null for the usual one
 * @param watch whether its files are read again when they change
 * @param first what is said in place of a file
 * @param plugins the folder of plugins, null where none is said
 * @param log the form of the gateway's own log, null where none is said
 */
record RunWords(
        String verticle,
        List<Path> conf,
        @Nullable Path options,
        @Nullable Integer instances,
        @Nullable Path runDir,
        boolean watch,
        FirstWords first,
        @Nullable Path plugins,
        @Nullable LogFormat log) {

    RunWords {
        conf = List.copyOf(conf);
    }

    /** The one verticle that there is. */
    static final String VERTICLE = Sigma.class.getName();

    private static final int DIGITS_MAX = 4;

    /** What says nothing on the command line but where the configuration is. */
    RunWords(String verticle, List<Path> conf, @Nullable Path options, @Nullable Integer instances) {
        this(verticle, conf, options, instances, null, false, FirstWords.NONE, null, null);
    }

    /** What says nothing of plugins and the log. */
    RunWords(
            String verticle,
            List<Path> conf,
            @Nullable Path options,
            @Nullable Integer instances,
            @Nullable Path runDir,
            boolean watch,
            FirstWords first) {
        this(verticle, conf, options, instances, runDir, watch, first, null, null);
    }

    /**
     * Reads the words where they are as they should be, and returns null for all else: help that is asked for, words that are
     * wrong, spellings that are rare. Those are picocli's, which isn't used here because its classes can't be in the JDK's AOT
     * cache and would take more of the start than everything else.
     */
    static @Nullable RunWords plain(String[] words) {
        String verticle = null;
        Map<String, List<String>> said = new HashMap<>();
        boolean watch = false;
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (!word.startsWith("-") && verticle == null) {
                verticle = word;
                continue;
            }
            if (!watch && (word.equals("-watch") || word.equals("--watch"))) {
                watch = true;
                continue;
            }
            String name = option(word);
            String value = ++i < words.length ? words[i] : "--";
            if (name == null || !isValue(name, value) || (said.containsKey(name) && !isSeveral(name))) {
                return null;
            }
            List<String> values = said.getOrDefault(name, new ArrayList<>());
            values.add(value);
            said.put(name, values);
        }
        String instances = only(said, "instance");
        String log = only(said, "log-format");
        LogFormat format = LogFormat.of(log);
        if ((instances != null && !isNumber(instances)) || (log != null && format == null)) {
            return null;
        }
        return new RunWords(
                verticle == null ? VERTICLE : verticle,
                said.getOrDefault("conf", List.of()).stream().map(Path::of).toList(),
                path(only(said, "options")),
                instances == null ? null : Integer.valueOf(instances),
                path(only(said, "run-dir")),
                watch,
                new FirstWords(
                        said.getOrDefault("to", List.of()), said.getOrDefault("host", List.of()), only(said, "port")),
                path(only(said, "plugins")),
                format);
    }

    /** The words of the command line that say the same, {@code run} first. */
    List<String> words() {
        List<String> words = new ArrayList<>(List.of("run"));
        if (!verticle.equals(VERTICLE)) {
            words.add(verticle);
        }
        conf.forEach(file -> words.addAll(List.of("-conf", file.toString())));
        add(words, "-options", options);
        add(words, "-instance", instances);
        add(words, "--run-dir", runDir);
        if (watch) {
            words.add("--watch");
        }
        first.to().forEach(url -> words.addAll(List.of("--to", url)));
        first.hosts().forEach(host -> words.addAll(List.of("--host", host)));
        add(words, "--port", first.port());
        add(words, "--plugins", plugins);
        add(words, LogFormat.OPTION, log == null ? null : log.word());
        return words;
    }

    private static void add(List<String> words, String option, @Nullable Object value) {
        if (value != null) {
            words.add(option);
            words.add(value.toString());
        }
    }

    /** The name of an option; null where there is none that is spelt so. */
    private static @Nullable String option(String word) {
        return switch (word) {
            case "-conf", "--conf" -> "conf";
            case "-options", "--options" -> "options";
            case "-instance", "-instances", "--instance", "--instances" -> "instance";
            case "-run-dir", "--run-dir" -> "run-dir";
            case "-plugins", "--plugins" -> "plugins";
            case "-log-format", "--log-format" -> "log-format";
            case "-to", "--to" -> "to";
            case "-host", "--host" -> "host";
            case "-port", "--port" -> "port";
            default -> null;
        };
    }

    private static boolean isSeveral(String option) {
        return option.equals("conf") || option.equals("to") || option.equals("host");
    }

    /** Whether it isn't another option. */
    private static boolean isValue(String option, String text) {
        return !text.startsWith("-") || (option.equals("conf") && text.equals(Conf.INPUT));
    }

    private static @Nullable String only(Map<String, List<String>> said, String option) {
        List<String> values = said.get(option);
        return values == null ? null : values.getFirst();
    }

    private static @Nullable Path path(@Nullable String text) {
        return text == null ? null : Path.of(text);
    }

    /** What picocli understood. */
    static RunWords of(ParseResult words) {
        return new RunWords(
                words.matchedPositionalValue(0, VERTICLE),
                Conf.of(words),
                words.matchedOptionValue("-options", null),
                words.matchedOptionValue("-instance", null),
                words.matchedOptionValue("-run-dir", null),
                words.hasMatchedOption("-watch"),
                FirstWords.of(words),
                PluginsFolder.of(words),
                LogFormat.of(words.matchedOptionValue("-log-format", null)));
    }

    /** What picocli takes as a number of Workers, whose bounds {@link Run} knows. */
    static Integer instances(String text) {
        if (!isNumber(text)) {
            throw new TypeConversionException("1 to " + Run.INSTANCES_MAX);
        }
        return Integer.valueOf(text);
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= DIGITS_MAX && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
