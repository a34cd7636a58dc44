package net.oooops.sigma.control.socket;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** {@code log-level}: how much the gateway's own log says, from now on and until the process ends. Any thread. */
public final class LogLevels implements Steered {
    private static final List<String> WORDS = List.of("OFF", "ERROR", "WARN", "INFO", "DEBUG", "TRACE");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$]+([.-][A-Za-z0-9_$]+)*");
    private static final int NAME_CHARS_MAX = 200;

    /** Takes back what was said of a logger. */
    private static final String UNSAID = "default";

    /** What was asked for, by the logger's name. */
    private static final Map<String, Said> SAID = new ConcurrentHashMap<>();

    private static volatile Runnable listener = () -> {};

    /**
     * What was asked for.
     *
     * @param former the level that the logger had of its own before anybody asked for another
     */
    private record Said(Level level, @Nullable Level former) {}

    /** Called after each change, by whoever has asked for it, who waits for that. */
    public static void listen(Runnable changed) {
        listener = changed;
    }

    /**
     * With {@code level}, sets it, of {@code logger} or of all that have none of their own; {@code default} takes back what was set. Without, says
     * which there are.
     */
    @Override
    public Answer answer(Asked asked) throws Refused {
        String word = asked.optionalText("level");
        if (word != null) {
            String logger = asked.optionalText("logger");
            set(level(word), logger == null ? org.slf4j.Logger.ROOT_LOGGER_NAME : logger);
            listener.run();
        }
        Map<String, String> now = levels();
        return new Answer(text(now) + "\n", Map.of("log_levels", now));
    }

    /** Null for none that is set. */
    private static @Nullable Level level(String word) throws Refused {
        String upper = word.toUpperCase(Locale.ROOT);
        if (upper.equals(UNSAID.toUpperCase(Locale.ROOT))) {
            return null;
        }
        if (!WORDS.contains(upper)) {
            throw new Refused(
                    "level: " + word + " (expected: one of " + String.join(", ", WORDS) + ", " + UNSAID + ")");
        }
        return Level.valueOf(upper);
    }

    private static void set(@Nullable Level level, String name) throws Refused {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            throw new Refused("log-level: the log isn't Logback's, whose levels can be set");
        }
        if (name.length() > NAME_CHARS_MAX || !NAME.matcher(name).matches()) {
            throw new Refused("logger: " + name
                    + " (expected: the name of a class or a package, such as net.oooops.sigma.upstream)");
        }
        SAID.compute(name, (_, before) -> {
            if (level == null && before == null) {
                return null;
            }
            Logger logger = context.getLogger(name);
            Level former = before == null ? logger.getLevel() : before.former();
            logger.setLevel(level == null ? former : level);
            return level == null ? null : new Said(level, former);
        });
    }

    /** What was asked for since the process was started, and not taken back, by the logger's name. */
    public static Map<String, String> said() {
        Map<String, String> said = new LinkedHashMap<>();
        SAID.forEach((name, each) -> said.put(name, each.level().levelStr));
        return said;
    }

    /** All that another process was asked for, whose place this one takes; what isn't understood is left out. */
    public static void hear(Map<?, ?> words) {
        List<String> others =
                SAID.keySet().stream().filter(name -> !words.containsKey(name)).toList();
        others.forEach(name -> hear(name, UNSAID));
        words.forEach((name, word) -> hear(String.valueOf(name), String.valueOf(word)));
        if (!others.isEmpty() || !words.isEmpty()) {
            listener.run();
        }
    }

    private static void hear(String name, String word) {
        try {
            set(level(word), name);
        } catch (Refused e) {
            LoggerFactory.getLogger(LogLevels.class).debug("{}: {}", name, e.text());
        }
    }

    /** Those that are set, by the logger's name, that of all others ({@code ROOT}) first. */
    static Map<String, String> levels() {
        Map<String, String> levels = new LinkedHashMap<>();
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            for (Logger logger : context.getLoggerList()) {
                Level level = logger.getLevel();
                if (level != null) {
                    levels.put(logger.getName(), level.levelStr);
                }
            }
        }
        return levels;
    }

    /** {@code INFO; io.netty WARN, io.vertx WARN}. */
    static String text(Map<String, String> levels) {
        StringBuilder text =
                new StringBuilder(String.valueOf(levels.getOrDefault(org.slf4j.Logger.ROOT_LOGGER_NAME, "unknown")));
        String separator = "; ";
        for (Map.Entry<String, String> each : levels.entrySet()) {
            if (!each.getKey().equals(org.slf4j.Logger.ROOT_LOGGER_NAME)) {
                text.append(separator).append(each.getKey()).append(' ').append(each.getValue());
                separator = ", ";
            }
        }
        return text.toString();
    }
}
